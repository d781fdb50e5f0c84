import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { curlOf } from '../../apps/web/docs/curl.ts';
import { type ApiDocument, groupOperations, operationsOf } from '../../apps/web/docs/document.ts';
import { allRefusals, refusalsOf } from '../../apps/web/docs/refusals.ts';

const file = new URL('../../docs/openapi.json', import.meta.url);
const api: ApiDocument = JSON.parse(readFileSync(file, 'utf8'));
const operations = operationsOf(api);
const operation = (id: string) => {
  const found = operations.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(id);
  return found;
};

describe('The API reference', () => {
  it('says what every code means', () => {
    expect(allRefusals(operations).filter(({ meaning }) => meaning === '')).toEqual([]);
    expect(allRefusals(operations).length).toBeGreaterThan(150);
  });

  it('reads the close codes of sockets, and the statuses of what any operation may refuse', () => {
    const refusals = refusalsOf(operation('terminals.open'));
    const one = (code: string) => refusals.find((refusal) => refusal.code === code);
    expect(one('idle_timeout')).toMatchObject({ status: '408', close_code: '4010' });
    expect(one('invalid_query')).toMatchObject({ status: '400', close_code: undefined });
  });

  it('has a command for each operation', () => {
    const base = 'https://ssh.example.com';
    expect(curlOf(operation('files.archive_member'), api, base)).toBe(
      `curl -OJ '${base}/api/files/1/archive/member?path=/srv/site&member=docs/guide.txt' \\\n` +
        '  -H "authorization: Bearer $token"',
    );
    const body = `-d '{"path":"/srv/site.zip","target_path":"/srv/site"}'`;
    expect(curlOf(operation('files.extract'), api, base)).toContain(body);
    expect(operations.filter((one) => /[{}]/.test(curlOf(one, api, base).split("'")[1] ?? ''))).toEqual([]);
  });

  it('is filtered by a code', () => {
    const found = groupOperations(api, 'member_not_found').flatMap((group) => group.operations);
    expect(found.map(({ operationId }) => operationId)).toContain('files.extract');
  });
});
