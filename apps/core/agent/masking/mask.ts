import { COMMAND_RULES } from './commands.ts';
import { maskKeys } from './keys.ts';
import { MARKUP_RULES } from './markup.ts';
import { RULES } from './rules.ts';
import { maskUrls } from './urls.ts';
import { maskValues } from './values.ts';

/**
 * Secrets are found by pattern, so some are missed; too much is masked rather than too little. Every pattern is bounded, or
 * ends in what always matches, so that the time is linear in the text, hostile text included.
 */
export function masked(text: string): string {
  const others = maskUrls(maskValues(maskKeys(text)));
  return [...MARKUP_RULES, ...COMMAND_RULES, ...RULES].reduce(
    (kept, [pattern, replacement]) => kept.replace(pattern, replacement),
    others,
  );
}

const MOST_JSON = 2000; // characters

/** Arguments of a tool as they may be shown and stored. Long ones are cut: each of thousands of texts takes its time. */
export function maskedArguments(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const json = JSON.stringify(args);
  return json.length > MOST_JSON ? { cut: masked(json.slice(0, MOST_JSON)) } : maskedRecord(args);
}

function maskedRecord(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, maskedValue(value)]));
}

function maskedValue(value: unknown): unknown {
  if (typeof value === 'string') return masked(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(maskedValue) : maskedRecord({ ...value });
}
