import { describe, expect, it } from 'vitest';
import { readQuery } from '../../../../apps/web/parts/query-bar/read.ts';
import { rowFilter } from '../../../../apps/web/parts/table/row-filter.ts';
import { translateTo } from '../../../support/texts.ts';

interface Row {
  readonly name: string;
  readonly groups: readonly string[];
  readonly at: string;
}
const ROWS: readonly Row[] = [
  { name: 'ana', groups: ['web', 'db'], at: '2026-01-01T00:00:00.000Z' },
  { name: 'bob', groups: ['web'], at: '2026-02-01T00:00:00.000Z' },
  { name: 'carla web', groups: [], at: '2026-03-01T00:00:00.000Z' },
];
const filter = rowFilter<Row>(translateTo('en'), {
  textsOf: ({ name, groups }) => [name, ...groups],
  keys: [{ key: 'group', label: 'group', of: ({ groups }) => groups, all: ['none'] }],
  timeOf: ({ at }) => at,
});
const find = (text: string) =>
  ROWS.filter(filter.matches(readQuery(text, filter.keys(ROWS)))).map(({ name }) => name);

describe('The rows of a table', () => {
  it.each([
    ['', ['ana', 'bob', 'carla web']],
    ['WEB', ['ana', 'bob', 'carla web']],
    ['web car', ['carla web']],
    ['group:db', ['ana']],
    ['group:db group:web', ['ana', 'bob']],
    ['group:WEB -group:db', ['bob']],
    ['-group:web', ['carla web']],
    ['group:none', []],
    ['since:2026-01-15 until:2026-02-15', ['bob']],
    ['group:web since:2026-01-15', ['bob']],
    ['group:nothing bob', ['bob']], // marked as unknown, and not applied
  ])('are found by %j', (text, names) => {
    expect(find(text)).toEqual(names);
  });
});
