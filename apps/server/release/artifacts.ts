import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tools } from './tools.ts';

/** One line a file, as `sha256sum --check` reads it. */
export function checksums(folder: string): string {
  const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS');
  const lines = names.sort().map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}  ${name}\n`,
  );
  return lines.join('');
}

/** npm calls the component after the folder of the checkout. */
function namedSbom(text: string, name: string): string {
  const sbom = JSON.parse(text);
  sbom.metadata.component.name = name;
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

/** The packages, what they contain, and their checksums, in `dist/release`. */
export async function buildArtifacts({ root, run, read }: Tools, version: string): Promise<void> {
  const [packages, folder] = [join(root, 'dist/packages'), join(root, 'dist/release')];
  await run('npm', 'run', 'pack');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(packages).filter((one) => one.endsWith('.tgz'))) {
    cpSync(join(packages, name), join(folder, name));
  }
  const sbom = await read(
    'npm',
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--omit',
    'dev',
  );
  writeFileSync(join(folder, `sallyport-${version}.cdx.json`), namedSbom(sbom, 'sallyport'));
  writeFileSync(join(folder, 'SHA256SUMS'), checksums(folder));
}
