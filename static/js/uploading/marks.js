// Checksums of pieces and marks of files: CRC-32, which browsers lack, and which works on plain HTTP too.

const BLOCK = 64 * 1024;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

/** The CRC-32 of bytes (Uint8Array), going on from `before`. */
function crc32(bytes, before = 0) {
  let code = ~before;
  for (let place = 0; place < bytes.length; place++) code = TABLE[(code ^ bytes[place]) & 255] ^ (code >>> 8);
  return ~code >>> 0;
}

/** A file's mark, as `mark_of_file` of foundation/uploads/pieces.py computes it: of its first, middle and last block. */
export async function markOf(file) {
  let code = 0;
  for (const place of [0, Math.max(0, Math.floor(file.size / 2) - BLOCK / 2), Math.max(0, file.size - BLOCK)]) {
    code = crc32(new Uint8Array(await file.slice(place, place + BLOCK).arrayBuffer()), code);
  }
  return code.toString(16).padStart(8, "0");
}

/** The header Upload-Checksum of a piece. */
export function checksumOf(bytes) {
  const code = crc32(bytes);
  return `crc32 ${btoa(String.fromCharCode(code >>> 24, (code >>> 16) & 255, (code >>> 8) & 255, code & 255))}`;
}
