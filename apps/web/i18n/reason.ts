import type { Translate } from './languages.ts';
import type { RefusalText } from './refusals.ts';

/** What a code of the gateway says, on one line. */
export function reasonIn(code: string, detail: string, t: Translate): string {
  return onOneLine(t.refusal(code, detail));
}

export function onOneLine({ text, specifics }: RefusalText): string {
  return specifics ? `${text} · ${specifics}` : text;
}
