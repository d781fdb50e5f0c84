import { describe, expect, it } from 'vitest';
import { commonStart, completionsOf, divideTyped } from '../../../apps/web/files/path/completion.ts';
import { entry } from './entries.ts';

const directory = (name: string) => entry(name, { is_dir: true });

describe('a typed path', () => {
  it.each([
    ['/', { directory: '/', prefix: '' }],
    ['/va', { directory: '/', prefix: 'va' }],
    ['/var/lo', { directory: '/var', prefix: 'lo' }],
    ['/var/log/', { directory: '/var/log', prefix: '' }],
  ])('%s is completed below its last slash', (typed, divided) => {
    expect(divideTyped(typed)).toEqual(divided);
  });

  it('is completed with directories only, in any case', () => {
    const entries = [directory('Logs'), directory('lost'), entry('log.txt'), directory('etc')];
    expect(completionsOf(divideTyped('/srv/lo'), entries)).toEqual(['/srv/Logs/', '/srv/lost/']);
  });

  it('is completed with names that are not UTF-8 only in their own spelling', () => {
    const entries = [directory('logs'), entry('lo\ufffd', { is_dir: true, path: 'bytes:/srv/lo%FF' })];
    expect(completionsOf(divideTyped('/srv/lo'), entries)).toEqual(['/srv/logs/']);
    const below = [entry('a b', { is_dir: true, path: 'bytes:/srv/lo%FF/a%20b' })];
    expect(completionsOf(divideTyped('bytes:/srv/lo%FF/a'), below)).toEqual(['bytes:/srv/lo%FF/a%20b/']);
  });

  it('is completed with hidden ones only after a dot', () => {
    const entries = [directory('.git'), directory('src')];
    expect(completionsOf(divideTyped('/srv/'), entries)).toEqual(['/srv/src/']);
    expect(completionsOf(divideTyped('/srv/.'), entries)).toEqual(['/srv/.git/']);
  });

  it('is completed as far as all matches agree', () => {
    expect(commonStart(['/srv/logs-1/', '/srv/logs-2/'])).toBe('/srv/logs-');
    expect(commonStart([])).toBe('');
  });
});
