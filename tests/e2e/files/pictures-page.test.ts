import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { fileRow, onHost, openFiles } from '../../support/browser/file-pages.ts';
import { useVisits } from '../../support/browser/pages.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const PICTURES = new URL('../../pictures/', import.meta.url).pathname;
const SCRIPT = `
  mkdir -p site/images site/scripts backup
  printf 'server {\\n  listen 443 ssl;\\n  server_name example.org;\\n\\n  location / {\\n    proxy_pass http://127.0.0.1:8080;\\n  }\\n}\\n' > site/nginx.conf
  printf '# Example\\n\\nWhat stands here is shown on the page.\\n' > site/README.md
  head -c 48000 /dev/zero > site/logo.png
  head -c 1900000 /dev/zero > site/bundle.js
  ln -s nginx.conf site/current.conf
  head -c 700000 /dev/zero > backup/site-2026-11-19.tar.gz
`;

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
describe('Files side by side', () => {
  it.each(['light', 'dark'] as const)('show a list and a text in two panes (%s)', async (colorScheme) => {
    const page = await visits.open(gateway, '#/');
    await page.emulateMedia({ colorScheme });
    const site = join(sshd.folder, 'site');
    await openFiles(page, 'harbor', site);
    await page.keyboard.press('Control+Shift+E');
    const grid = page.getByRole('grid', { name: `Files in ${site}`, exact: true }).last();
    await fileRow(grid, 'nginx.conf').getByRole('button', { name: 'nginx.conf', exact: true }).dblclick();
    await page.getByText('proxy_pass').waitFor();
    await keepPicture(`files-${colorScheme}.png`, await page.screenshot());
  });
});

/** Stores a screenshot for the README (`npm run pictures`). */
async function keepPicture(name: string, picture: Buffer): Promise<void> {
  if (!process.env['SALLYPORT_PICTURES']) return;
  await mkdir(PICTURES, { recursive: true });
  await writeFile(join(PICTURES, name), picture);
}
