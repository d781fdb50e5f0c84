import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { fileRow, onHost, openFiles } from '../../support/browser/file-pages.ts';
import { keepPictures, untilFocused, useVisits } from '../../support/browser/pages.ts';
import { zipOf } from '../../support/features/zip-files.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const SCRIPT = `
  mkdir -p site/images site/scripts backup
  printf 'server {\\n  listen 443 ssl;\\n  server_name example.org;\\n\\n  location / {\\n    proxy_pass http://127.0.0.1:8080;\\n  }\\n}\\n' > site/nginx.conf
  printf '# Example\\n\\nWhat stands here is shown on the page.\\n' > site/README.md
  head -c 48000 /dev/zero > site/logo.png
  head -c 1900000 /dev/zero > site/bundle.js
  ln -s nginx.conf site/current.conf
  head -c 700000 /dev/zero > backup/site-2026-11-19.tar.gz
`;

const RELEASE = [
  'docs/guide.txt',
  'docs/install.txt',
  'public/index.html',
  'public/style.css',
  'server/main.js',
  'CHANGES.md',
  'LICENSE',
  'package.json',
].map((name, nth) => ({
  name,
  content: 'x'.repeat(900 + 2_400 * nth),
  modified: new Date(Date.UTC(2026, 9, 3 + nth, 9, 17 * nth)),
}));

const visits = useVisits({ viewport: { width: 1360, height: 720 } });
let gateway: TestGateway;
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  const { port, username, password } = sshd;
  await gateway.addServer({ name: 'harbor', group: 'production', port, username, password });
  await gateway.addServer({ name: 'lighthouse', group: 'production', port, username, password });
  await onHost(sshd, SCRIPT);
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});
describe('Pictures of the documentation', () => {
  it('show a list and a text in two panes', async () => {
    const page = await visits.open(gateway, '#/');
    const site = join(sshd.folder, 'site');
    await openFiles(page, 'harbor', site);
    await page.keyboard.press('Control+Shift+E');
    const grid = page.getByRole('grid', { name: `Files in ${site}`, exact: true }).last();
    await fileRow(grid, 'nginx.conf').getByRole('button', { name: 'nginx.conf', exact: true }).dblclick();
    await page.getByText('proxy_pass').waitFor();
    await keepPictures(page, 'files');
  });

  it.runIf(process.env['SALLYPORT_PICTURES'])(
    'show a palette, and an archive extracted in part',
    async () => {
      await writeFile(join(sshd.folder, 'release.zip'), zipOf(RELEASE));
      const page = await visits.open(gateway, '#/');
      const grid = await openFiles(page, 'harbor', sshd.folder);
      await fileRow(grid, 'release.zip').getByRole('checkbox').click();
      await page.keyboard.press('Control+k');
      await page.getByRole('option').first().waitFor();
      await keepPictures(page, 'palette');
      await page.keyboard.press('Escape');
      await fileRow(grid, 'release.zip').getByRole('button', { name: 'release.zip', exact: true }).click();
      const members = page.getByRole('grid', { name: 'Archive release.zip' });
      await untilFocused(members);
      for (const key of ['Space', 'Control+ArrowDown', 'Control+ArrowDown', 'Control+Space'])
        await page.keyboard.press(key);
      await page.getByRole('button', { name: 'Extract selected here' }).click();
      await page.getByRole('region', { name: 'Transfers' }).getByText(/^Done/).waitFor();
      await keepPictures(page, 'archive');
    },
  );
});
