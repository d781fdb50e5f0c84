import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  type FileAction,
  hindranceOf,
  nameTrouble,
  type Situation,
  sendHindrance,
} from '../../../apps/web/files/rights.ts';
import { goTo, terminalHindrance } from '../../../apps/web/files/terminal-here.ts';
import { entry } from './entries.ts';

const server = { sftp_read_only: false, sftp_allowed_paths: ['/srv'] };
const situation: Situation = { server, directory: '/srv', targets: [entry('a')], is_demo: false };
const read_only = { ...situation, server: { ...server, sftp_read_only: true } };

describe('disabled actions', () => {
  it.each<FileAction>(['make', 'upload', 'rename', 'delete', 'chmod', 'move'])(
    'include %s on a read-only server',
    (action) => {
      expect(hindranceOf(action, read_only)).toBe('files_why_read_only');
      expect(hindranceOf(action, situation)).toBeUndefined();
    },
  );

  it.each<FileAction>(['download', 'copy', 'open', 'copy_path', 'properties'])(
    'do not include %s, which only reads',
    (action) => {
      expect(hindranceOf(action, read_only)).toBeUndefined();
    },
  );

  it.each<[string, FileAction, Partial<Situation>, string]>([
    ['anything with nothing', 'download', { targets: [] }, 'files_why_nothing'],
    [
      'anything with a name that no request can address',
      'delete',
      { targets: [entry('?', { addressable: false })] },
      'not_addressable',
    ],
    ['renaming several', 'rename', { targets: [entry('a'), entry('b')] }, 'files_why_several'],
    ['making something outside', 'make', { directory: '/etc' }, 'files_why_outside'],
    [
      'deleting an allowed root itself',
      'delete',
      { directory: '/', targets: [entry('srv', { path: '/srv' })] },
      'files_why_outside',
    ],
    ['changing a demonstration', 'rename', { is_demo: true }, 'why_demo'],
    [
      'an archive of several in a demonstration',
      'download',
      { is_demo: true, targets: [entry('a'), entry('b')] },
      'files_why_demo_archive',
    ],
  ])('%s', (_what, action, rest, why) => {
    expect(hindranceOf(action, { ...situation, ...rest })).toBe(why);
  });

  it('are none while the server is not loaded', () => {
    expect(hindranceOf('delete', { ...situation, server: undefined })).toBeUndefined();
  });
});

describe('refused targets', () => {
  const docs = entry('docs', { is_dir: true });
  const here = { from: 1, to: 1 };
  it.each([
    [
      'into themselves',
      { entries: [docs], move: false, directory: '/srv/docs/old' },
      here,
      'files_why_into_itself',
    ],
    ['where they are', { entries: [docs], move: true, directory: '/srv' }, here, 'files_why_there_already'],
    [
      'outside what is allowed there',
      { entries: [docs], move: false, directory: '/etc' },
      here,
      'files_why_target_outside',
    ],
    ['as a copy beside themselves', { entries: [docs], move: false, directory: '/srv' }, here, undefined],
    [
      'to the same path of another server',
      { entries: [docs], move: true, directory: '/srv' },
      { from: 1, to: 2 },
      undefined,
    ],
  ])('%s', (_where, sending, ways, why) => {
    expect(sendHindrance(sending, server, ways)).toBe(why);
  });

  it('include a read-only server', () => {
    const sending = { entries: [docs], move: false, directory: '/srv' };
    expect(sendHindrance(sending, read_only.server, { from: 1, to: 2 })).toBe('files_why_target_read_only');
  });
});

describe('a terminal in a directory', () => {
  const offered = { ssh_enabled: true };
  it.each([
    ['/srv/café', offered, undefined],
    ["/srv/it's; rm -rf $HOME `id`", offered, undefined],
    ['/srv', { ssh_enabled: false }, 'ssh_off'],
    ['/srv/a\nb', offered, 'files_why_not_typed'],
    ['/srv/a\rb', offered, 'files_why_not_typed'],
    ['/srv/a\tb', offered, 'files_why_not_typed'],
    ['/srv/\u001b[201~', offered, 'files_why_not_typed'],
    ['/srv/\u202etxt', offered, 'files_why_not_typed'],
    ['bytes:/srv/caf%E9', offered, 'files_why_not_typed'],
  ])('at %j', (directory, server, why) => {
    expect(terminalHindrance(directory, server)).toBe(why);
  });

  it('is reached by a quoted path', () => {
    expect(goTo("/srv/it's; $HOME")).toBe(`cd -- '/srv/it'"'"'s; $HOME'`);
  });

  it.each(["/it's", "/\\'; rm -rf x; '", '/a\\', '/\u2019; rm x; \u2018', '/$HOME `id` "a" !b'])(
    'is the one that a shell reads from the quoted path %s',
    (directory) => {
      const printed = execFileSync('sh', ['-c', goTo(directory).replace('cd --', 'printf %s')]);
      expect(printed.toString()).toBe(directory);
    },
  );

  it.each([
    // fish: a backslash escapes inside single quotes.
    ["/\\'; rm -rf x; '", /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/gs],
    // PowerShell: there are five single quotes, and no backslash escapes.
    ["/\u2019'; rm x; \u2018", /['\u2018-\u201b][^'\u2018-\u201b]*['\u2018-\u201b]|"[^"]*"/g],
  ])('is all in quotes for another shell: %s', (directory, quoted) => {
    expect(goTo(directory).replace('cd -- ', '').replaceAll(quoted, '')).toBe('');
  });
});

describe('a name', () => {
  it.each([
    ['', 'files_name_needed'],
    ['..', 'files_name_needed'],
    ['a/b', 'files_name_slash'],
    ['taken', 'files_name_taken'],
    ['t\ufffd.txt2', 'files_name_replaced'],
    ['free', undefined],
  ])('%j is %s', (name, trouble) => {
    expect(nameTrouble(name, [entry('taken')])).toBe(trouble);
  });

  it('may stay unchanged', () => {
    expect(nameTrouble('taken', [entry('taken')], 'taken')).toBeUndefined();
  });
});
