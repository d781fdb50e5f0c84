import { describe, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import { exportServers, placeOf, previewOf, sendImport } from '../../../apps/web/servers/import/import.ts';

const names = (text: string) => {
  const preview = previewOf(text);
  return 'names' in preview ? [preview.kind, preview.names] : [preview.kind, 'why' in preview && preview.why];
};

describe('The content of an import', () => {
  it('is the list of an export, bare or under its key', () => {
    const list = JSON.stringify([{ name: 'web', port: 2222 }, { name: 'db' }]);
    expect(names(list)).toEqual(['servers', ['web', 'db']]);
    expect(names(`\uFEFF\n {"servers": ${list}}`)).toEqual(['servers', ['web', 'db']]);
  });

  it.each([
    ['[{"name": "web",}]', 'import_no_json'],
    ['{"hosts": []}', 'import_no_list'],
    ['{"servers": 3}', 'import_no_list'],
    ['[]', 'import_empty_list'],
    ['[{"name": "web"}, {"hostname": "db"}]', 'import_no_name'],
    ['[{"name": " "}]', 'import_no_name'],
    ['["web"]', 'import_no_name'],
    ['hello there', 'import_no_hosts'],
    ['Host *\n  User root', 'import_no_hosts'],
  ])('is refused before it is sent: %s', (text, why) => {
    expect(names(text)).toEqual(['bad', why]);
  });

  it('is refused when a server has no name, with its number', () => {
    expect(previewOf('[{"name": "web"}, {}]')).toMatchObject({ values: { number: 2 } });
  });

  it('is every host of an OpenSSH configuration once, without patterns', () => {
    const text = [
      'Host web db # two',
      '  HostName 10.0.0.1',
      'host = "inner"',
      'HOST *.example !web bastion',
      '# Host commented',
      'Host web',
      'HostKeyAlgorithms ssh-ed25519',
    ].join('\r\n');
    expect(names(text)).toEqual(['ssh_config', ['web', 'db', 'inner', 'bastion']]);
  });

  it('is empty when nothing was given', () => {
    expect(previewOf(' \n')).toEqual({ kind: 'empty' });
  });
});

describe('An import', () => {
  function clientKeeping() {
    const sent: [string, unknown][] = [];
    const client = createClient({
      base_url: 'https://gate.example',
      credentials: 'sesame',
      retries: 0,
      fetch: async (request) => {
        const text = await request.text();
        sent.push([new URL(request.url).pathname, text && JSON.parse(text)]);
        return Response.json(request.method === 'GET' ? [{ name: 'web' }] : { created: [], warnings: [] });
      },
    });
    return { client, sent };
  }
  const options = { chosen: ['web'], group: ' lab ', username: '' };

  it('sends the chosen servers of a file unchanged', async () => {
    const { client, sent } = clientKeeping();
    await sendImport(client, '[{"name": "web", "id": 7, "unknown": 1}, {"name": "db"}]', options);
    expect(sent).toEqual([['/api/servers/import', { servers: [{ name: 'web', id: 7, unknown: 1 }] }]]);
  });

  it('sends an OpenSSH configuration as a whole, with the defaults for what it omits', async () => {
    const { client, sent } = clientKeeping();
    await sendImport(client, 'Host web', options);
    await sendImport(client, 'Host web db', { chosen: ['db'], group: '', username: 'root' });
    expect(sent).toEqual([
      ['/api/servers/import/ssh-config', { text: 'Host web', hosts: ['web'], group: 'lab' }],
      ['/api/servers/import/ssh-config', { text: 'Host web db', hosts: ['db'], group: '', username: 'root' }],
    ]);
  });

  it('accepts the output of an export', async () => {
    const { client } = clientKeeping();
    expect(names(await (await exportServers(client)).text())).toEqual(['servers', ['web']]);
  });

  it.each([
    ['servers.1.port', 'db · port'],
    ['servers.9.name', 'name'],
    ['servers.0', 'web'],
    ['group', 'group'],
  ])('names the server that was refused: %s', (path, place) => {
    expect(placeOf({ path, message: '' }, ['web', 'db'])).toBe(place);
  });
});
