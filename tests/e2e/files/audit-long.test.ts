import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditRows } from '../../support/features/audit.ts';
import { type Change, type FileHost, startFileHost } from '../../support/features/file-host.ts';

let host: FileHost;
beforeAll(async () => {
  host = await startFileHost();
});
afterAll(() => host?.stop());

const DEEP = Array.from({ length: 12 }, (_, index) => `${index}`.padEnd(240, 'd')).join('/');
const deep = (name: string) => join(host.at(DEEP), name);

it.each<[string, () => Change]>([
  ['chmod', () => ({ verb: 'chmod', body: { path: deep('secret.key'), mode: '600' } })],
  ['write', () => ({ verb: 'write', body: { path: deep('secret.key'), content: 'y' } })],
  ['mkdir', () => ({ verb: 'mkdir', body: { path: deep('secret.key.d') } })],
  ['rename', () => ({ verb: 'rename', body: { old_path: deep('secret.key'), new_path: deep('harmless') } })],
  ['delete', () => ({ verb: 'delete', query: { path: deep('secret.key') } })],
])('names the file in the entry of a %s, however long its path', async (_verb, change) => {
  await host.put(`${DEEP}/secret.key`, 'x');
  expect((await host.ask(change())).status).toBe(200);
  const entries = (await auditRows(host.gateway.store)).filter(({ action }) => action.startsWith('sftp_'));
  expect(entries.at(-1)?.detail).toContain('secret.key');
});
