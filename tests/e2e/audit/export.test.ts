import { beforeAll, expect, it } from 'vitest';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import { describeEachGateway } from '../../support/gateway/gateway.ts';
import { entries, query } from './scene.ts';

const DANGEROUS = [
  "=cmd|'/C calc'!A0",
  '+1+1',
  '-2+3',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  ' =1',
  '＝1',
  '=HYPERLINK("http://evil.example","x, y")',
];
const AWKWARD = ['a "quote"', 'a, comma', 'two\nlines', 'two\r\nlines', 'žluť 🐎', "it's", ''];

describeEachGateway('The export', (gateway) => {
  const fetchExport = (fields: Record<string, string>) =>
    gateway().admin.fetch(`/api/auth/audit/export?${query(fields)}`);

  beforeAll(async () => {
    const instance = await auditInstance(gateway().store);
    for (const text of [...DANGEROUS, ...AWKWARD]) {
      await instance.append(auditRecord({ username: 'cells', detail: text }));
      await instance.append(auditRecord({ username: text, detail: 'in a name' }));
    }
    const many = Array.from({ length: 2500 }, (_, i) => auditRecord({ username: 'many', detail: String(i) }));
    await Promise.all(many.map((record) => instance.append(record)));
  });

  it('is a CSV attachment with a header row', async () => {
    const response = await fetchExport({ username: 'cells' });
    expect(response.headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const [names, ...rows] = parseCsv(await response.text());
    expect(names?.join()).toBe('id,created_at,user_id,username,action,detail,ip_address,hash,via');
    expect(rows).toHaveLength(DANGEROUS.length + AWKWARD.length);
    expect(rows.filter((row) => row.length !== names?.length)).toEqual([]);
  });

  it('in CSV neutralizes spreadsheet formulas, and changes nothing else', async () => {
    const [, ...rows] = parseCsv(await (await fetchExport({ username: 'cells' })).text());
    const expected = [...DANGEROUS.map((text) => `'${text}`), ...AWKWARD];
    expect(rows.map((row) => row[5]).reverse()).toEqual(expected);
    const [, ...named] = parseCsv(await (await fetchExport({ search: 'in a name' })).text());
    expect(named.map((row) => row[3]).reverse()).toEqual(expected);
  });

  it('neutralizes a username that an administrator really chose', async () => {
    const username = "=cmd|'/C calc'!A0";
    const user = { username, password: 'formula-password-1' };
    const { status, body } = await gateway().admin.call('POST', '/api/auth/users', user);
    expect(status).toBe(201);
    const text = await (await fetchExport({ action: 'user_create' })).text();
    expect(parseCsv(text)[1]?.[5]).toBe(`'${username} (#${body['id']})`);
  });

  it('in NDJSON contains the matching entries as they are listed', async () => {
    const response = await fetchExport({ format: 'ndjson', username: 'CELLS' });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.ndjson"');
    expect(parseLines(await response.text())).toEqual(
      await entries(gateway(), { username: 'cells', limit: '500' }),
    );
  });

  it('contains more than a page, newest first, each entry once', async () => {
    const text = await (await fetchExport({ format: 'ndjson', username: 'many' })).text();
    const read = parseLines(text).map(({ detail }) => detail);
    expect(read).toEqual(Array.from({ length: 2500 }, (_, i) => String(2499 - i)));
  });

  it('is streamed', async () => {
    const { headers, body } = await fetchExport({ format: 'ndjson', username: 'many' });
    expect(headers.get('content-length')).toBeNull();
    const reader = body?.getReader();
    const first = await reader?.read();
    const lines = new TextDecoder().decode(first?.value).split('\n').length;
    expect(lines).toBeGreaterThan(1);
    expect(lines).toBeLessThan(2500);
    await reader?.cancel();
  });

  it('is itself recorded, with the names of its filters', async () => {
    await (await fetchExport({ username: 'many', search: 'zebra', until: '2020-01-01' })).text();
    const [newest] = await entries(gateway(), { action: 'audit_export', limit: '1' });
    expect(newest).toMatchObject({ username: 'admin', detail: 'csv, by username, search, until' });
  });

  it('refuses another format with 422', async () => {
    expect((await fetchExport({ format: 'xml' })).status).toBe(422);
  });
});

function parseLines(text: string): AuditEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** RFC 4180, strictly: CRLF ends a record, quotes are doubled. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const match = cell.exec(text);
    if (!match) throw new Error(`No CSV at ${at}: ${JSON.stringify(text.slice(at, at + 60))}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
