export interface ConfigLine {
  /** Counted from 1. */
  readonly line: number;
  /** In lower case. */
  readonly keyword: string;
  /** Undefined when a quote is never closed. */
  readonly args: readonly string[] | undefined;
}

// `Keyword value`, `Keyword=value`, `Keyword = value`.
const LINE = /^"?([a-z0-9]+)"?(?:[ \t]*=[ \t]*|[ \t]+|$)(.*)$/is;

/** The lines of an ssh_config without comments and blank lines. */
export function* readConfigLines(text: string): Generator<ConfigLine> {
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const [, keyword, value = ''] = LINE.exec(raw.trim()) ?? [];
    if (keyword === undefined) continue;
    yield { line: index + 1, keyword: keyword.toLowerCase(), args: splitArguments(value) };
  }
}

/** Splits words as OpenSSH does since 8.7: quotes anywhere in a word; a word that begins with `#` ends the line. */
function splitArguments(text: string): string[] | undefined {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (isBlank(text.charAt(at))) at += 1;
    if (at >= text.length || text.charAt(at) === '#') return words;
    const word = readWord(text, at);
    if (!word) return undefined;
    words.push(word.value);
    at = word.end;
  }
}

function readWord(text: string, start: number): { value: string; end: number } | undefined {
  let value = '';
  let quote = '';
  let at = start;
  while (at < text.length && !(quote === '' && isBlank(text.charAt(at)))) {
    if (isEscape(text, at, quote)) at += 1;
    else if (togglesQuote(text.charAt(at), quote)) {
      quote = quote === '' ? text.charAt(at) : '';
      at += 1;
      continue;
    }
    value += text.charAt(at);
    at += 1;
  }
  return quote === '' ? { value, end: at } : undefined;
}

function togglesQuote(character: string, quote: string): boolean {
  return quote === '' ? isQuote(character) : quote === character;
}

function isEscape(text: string, at: number, quote: string): boolean {
  if (text.charAt(at) !== '\\') return false;
  const next = text.charAt(at + 1);
  return isQuote(next) || next === '\\' || (next === ' ' && quote === '');
}

function isQuote(character: string): boolean {
  return character === '"' || character === "'";
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t';
}
