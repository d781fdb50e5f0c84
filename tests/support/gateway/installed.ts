import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = new URL('../../../', import.meta.url).pathname;
const INSTALL = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];

export interface Installed {
  /** The folder in which `npm install` ran. */
  readonly folder: string;
  /** The packages as they were packed. */
  readonly packed: { readonly gateway: string; readonly client: string };
  remove(): void;
}

/** Packs both packages and installs them in an empty folder. What they depend on is linked from the checkout, so nothing is fetched. */
export async function installPackages(): Promise<Installed> {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-packages-'));
  const folder = join(base, 'instalación 1'); // escaped in a URL
  const packed = { gateway: join(base, 'packed/sallyport'), client: join(base, 'packed/client') };
  await run(process.execPath, [join(ROOT, 'apps/server/pack.mjs'), join(base, 'packed')]);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  for (const name of Object.values(packed).flatMap(dependenciesOf)) link(folder, name);
  const tarballs = readdirSync(join(base, 'packed')).filter((name) => name.endsWith('.tgz'));
  await run('npm', [...INSTALL, ...tarballs.map((name) => join(base, 'packed', name))], { cwd: folder });
  return { folder, packed, remove: () => rmSync(base, { recursive: true, force: true }) };
}

function dependenciesOf(folder: string): string[] {
  return Object.keys(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies);
}

/** The package of the checkout, at the same place. */
export function link(folder: string, name: string): void {
  const place = join(folder, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), place);
}
