/** `mixed` keeps each line ending as it was. */
export type LineEnd = 'lf' | 'crlf' | 'cr' | 'mixed';

/** Parts of the file that the editor hides and a save must restore. */
export interface Shape {
  readonly bom: boolean;
  readonly line_end: LineEnd;
}

export interface Parts {
  /** Normalizes line endings to `\n`. Mixed files keep their carriage returns, shown as symbols. */
  readonly text: string;
  readonly shape: Shape;
}

const BOM = '\uFEFF';
const BREAK = { lf: '\n', crlf: '\r\n', cr: '\r', mixed: '\n' } as const satisfies Record<LineEnd, string>;

export function takeApart(content: string): Parts {
  const bom = content.startsWith(BOM);
  const body = bom ? content.slice(BOM.length) : content;
  const line_end = lineEndOf(body);
  const text = line_end === 'crlf' || line_end === 'cr' ? body.replaceAll(BREAK[line_end], '\n') : body;
  return { text, shape: { bom, line_end } };
}

/** The exact inverse of `takeApart`. */
export function putTogether(text: string, { bom, line_end }: Shape): string {
  return (bom ? BOM : '') + withBreaks(text, line_end);
}

function withBreaks(text: string, line_end: LineEnd): string {
  if (line_end === 'lf' || line_end === 'mixed') return text;
  return text.replace(/\r?\n/g, BREAK[line_end]); // undoing a conversion may have restored carriage returns
}

function lineEndOf(body: string): LineEnd {
  if (!body.includes('\r')) return 'lf';
  const kinds = new Set(body.match(/\r\n?|\n/g));
  if (kinds.size > 1) return 'mixed';
  return kinds.has('\r\n') ? 'crlf' : 'cr';
}

export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The edits that normalize all line endings of a mixed text. */
export function evenEdits(text: string): Edit[] {
  return [...text.matchAll(/\r\n?/g)].map(({ index: from, 0: found }) => ({
    from,
    to: from + 1,
    insert: found === '\r' ? '\n' : '',
  }));
}
