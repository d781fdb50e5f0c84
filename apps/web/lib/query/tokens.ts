/** A part of a query: a word, or a token such as `user:ana` or `-is:offline`. */
export interface QueryPart {
  /** Lower case; undefined for a word. */
  readonly key: string | undefined;
  readonly value: string;
  /** The token begins with a minus. */
  readonly is_negated: boolean;
  /** False while a quotation mark is open. */
  readonly is_closed: boolean;
  /** The part as the user typed it, with its key and quotation marks. */
  readonly source: string;
  readonly at: number;
}

const PART = /(?:-?[a-z_]+:)?"(?:\\["\\]|[^"])*"?|[^\s"]+/gi;
const TOKEN = /^(-?)([a-z_]+):(?![/\\])(.*)$/is; // `https://…` and `c:\…` are words

/** Reads any text; a quotation mark that is never closed ends with the text. */
export function splitQuery(text: string): QueryPart[] {
  return [...text.matchAll(PART)].map(({ 0: source, index: at }) => {
    const [, minus = '', key, rest = ''] = TOKEN.exec(source) ?? [];
    const typed = key === undefined ? source : rest;
    return {
      ...{ key: key?.toLowerCase(), is_negated: minus !== '', source, at },
      ...{ value: unquote(typed), is_closed: isClosed(typed) },
    };
  });
}

const QUOTED = /^"((?:\\["\\]|[^"])*)("?)$/s;

function unquote(typed: string): string {
  const inside = QUOTED.exec(typed)?.[1];
  return inside === undefined ? typed : inside.replace(/\\(["\\])/g, '$1');
}

function isClosed(typed: string): boolean {
  return QUOTED.exec(typed)?.[2] !== '';
}

/** Returns the text of a word or token without quotation marks. */
export function plainText({ key, value, source }: QueryPart): string {
  return key === undefined ? value : source.replaceAll('"', '');
}

export function formatToken(key: string, value: string, is_negated = false): string {
  return `${is_negated ? '-' : ''}${key}:${/^$|^[/\\]|[\s"]/.test(value) ? quote(value) : value}`;
}

/** Formats a text as one word of a query. */
export function formatWord(text: string): string {
  return /^$|[\s"]|^-?[a-z_]+:/i.test(text) ? quote(text) : text;
}

function quote(text: string): string {
  return `"${text.replace(/\\(?=["\\]|$)|"/g, '\\$&')}"`;
}
