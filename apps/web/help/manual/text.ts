import type { Token } from 'marked';

const BLOCKS = new Set(['list', 'list_item', 'blockquote', 'table']);

/** The words of a token, without marks. */
export function textOf(token: Token): string {
  if (token.type === 'html') return '';
  if (token.type === 'table') {
    const cells: readonly { tokens: Token[] }[] = [...token['header'], ...token['rows'].flat()];
    return cells.map(({ tokens }) => tokens.map(textOf).join('')).join(' ');
  }
  const inner: readonly Token[] | undefined = token.type === 'list' ? token['items'] : partsOf(token);
  if (inner) return inner.map(textOf).join(BLOCKS.has(token.type) ? ' ' : '');
  return 'text' in token && typeof token.text === 'string' ? token.text : ' ';
}

function partsOf(token: Token): readonly Token[] | undefined {
  return 'tokens' in token ? token.tokens : undefined;
}

/** Returns the ids of the headings of one page, as GitHub makes them: links work there and here. */
export function createIds(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const id = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  };
}
