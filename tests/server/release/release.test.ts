import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checksums } from '#server/release/artifacts.ts';
import { unreleased, withVersion } from '#server/release/changelog.ts';
import { release } from '#server/release/release.ts';
import { addedColumns, formatReleases, type Releases } from '#server/release/schema.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const FILES = ['package.json', 'package-lock.json', 'CHANGELOG.md', 'db/schema/released.json'];
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('A dry run', () => {
  let tree: string;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: tree, encoding: 'utf8' });

  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'sallyport-release-'));
    for (const path of FILES) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      cpSync(join(ROOT, path), join(tree, path));
    }
    writeFileSync(
      join(tree, 'CHANGELOG.md'),
      '# Changelog\n\n## Unreleased\n\n- One.\n\n## 0.6.0\n\n- Old.\n',
    );
    git('init', '--quiet');
    git('add', '.');
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    git(...author, '-c', 'commit.gpgsign=false', 'commit', '--quiet', '--message', 'start');
    git('tag', 'v98.0.0');
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  async function dryRun(...args: string[]) {
    const said: string[] = [];
    const code = await release([...args, '--dry-run'], tree, (line) => said.push(line));
    return { code, said: said.join('\n') };
  }

  it('names every step and changes nothing', async () => {
    const { code, said } = await dryRun('99.0.0');
    expect(code).toBe(0);
    const words = [
      'version',
      'CHANGELOG',
      'released.json',
      'openapi.json',
      'check',
      'SHA256SUMS',
      'tag v99.0.0',
    ];
    for (const word of words) {
      expect(said).toContain(word);
    }
    expect([git('status', '--porcelain'), git('tag'), git('rev-list', '--count', 'HEAD')]).toEqual([
      '',
      'v98.0.0\n',
      '1\n',
    ]);
  });

  it.each([
    ['0.0.1', 'is not newer than'],
    ['98.0.0', 'The tag v98.0.0 exists'],
    ['next', '"next" is not a version'],
    ['', '"" is not a version'],
  ])('refuses the version "%s"', async (version, reason) => {
    const { code, said } = await dryRun(version);
    expect([code, said.includes(reason)]).toEqual([1, true]);
  });

  it('refuses options that it does not know, and a tree on no branch', async () => {
    git('checkout', '--quiet', '--detach');
    const { code, said } = await dryRun('99.0.0', '--dry-rnu');
    git('checkout', '--quiet', '-');
    expect(code).toBe(1);
    expect(said).toMatch(/on no branch[\s\S]*Unknown argument "--dry-rnu"/);
  });

  it('refuses a tree with changes, and a changelog without any', async () => {
    writeFileSync(join(tree, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n## 0.6.0\n');
    const { code, said } = await dryRun('99.0.0');
    git('checkout', '--quiet', '.');
    expect(code).toBe(1);
    expect(said).toMatch(/not committed[\s\S]*says nothing under Unreleased/);
  });
});

describe('The changelog', () => {
  it('gets the version as the heading of what was unreleased', () => {
    const changelog = text('CHANGELOG.md');
    const released = withVersion(changelog, '99.0.0');
    expect(unreleased(released)).toBe('');
    expect(released.replace('## Unreleased\n\n## 99.0.0\n', '## Unreleased\n')).toBe(changelog);
  });
});

describe('The list of released columns', () => {
  const releases: Releases = JSON.parse(text('db/schema/released.json'));

  it('is written as it is in the repository', () => {
    expect(formatReleases(releases)).toBe(text('db/schema/released.json'));
  });

  it('gets exactly the columns that no release has', () => {
    const { '0.6.0': last, ...earlier } = releases;
    expect(addedColumns(earlier)).toMatchObject(last ?? {});
    expect(addedColumns({ ...releases, next: addedColumns(releases) })).toEqual({});
  });
});

describe('The checksums', () => {
  it('are what sha256sum --check reads', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-sums-'));
    writeFileSync(join(folder, 'b.tgz'), 'two');
    writeFileSync(join(folder, 'a.tgz'), 'one');
    writeFileSync(join(folder, 'SHA256SUMS'), checksums(folder));
    const said = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(said).toBe('a.tgz: OK\nb.tgz: OK\n');
  });
});
