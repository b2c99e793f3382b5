// A script's sentences in the language of the page, from the catalog that the page brings along (`script_words` in
// foundation/templatetags/languages.py). Messages are English; placeholders are names in braces: {count}.
// script/messages finds gettext("...") and ngettext("...", "...", n) where both are literal strings.

const words = JSON.parse(document.getElementById("script-words")?.textContent ?? "{}");
export const language = document.documentElement.lang || "en";
const rules = new Intl.PluralRules(language);
// Forms stand in a catalog in this order; where it has fewer than the language has categories, the last is for the rest.
const categories = ["zero", "one", "two", "few", "many", "other"].filter((one) => rules.resolvedOptions().pluralCategories.includes(one));

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
}

/** The message in the page's language, with `values` in the place of its names in braces. */
export function gettext(message, values = {}) {
  return filled(words[message]?.[0] || message, values);
}

/** The message for `count` things; {count} is put in as the language writes it. */
export function ngettext(one, many, count, values = {}) {
  const forms = words[one];
  const form = forms ? forms[categories.indexOf(rules.select(count))] ?? forms.at(-1) : count === 1 ? one : many;
  return filled(form, { count: number(count), ...values });
}

const written = new Intl.NumberFormat(language === "en" ? "en-US" : language);

/** A number as the page's language writes it. */
export function number(value) {
  return written.format(Number(value));
}
