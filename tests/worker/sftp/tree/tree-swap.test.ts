import { describe, expect, it } from 'vitest';
import type { FileSession } from '#core/ports/files.ts';
import { failureOf, NEVER } from '../../setup.ts';
import { DIR, FILE, type Swaps, startSwappingHost } from '../swapping-host.ts';

const calm = { signal: NEVER };
const FLIGHT = 16;
const OUTSIDE = { code: 'path_outside_allowed' };

type Work = (session: FileSession) => Promise<unknown>;

const mkdir: Work = (session) => session.makeDirectory(`${DIR}/new`);
const rename: Work = (session) => session.rename(`${DIR}/f0`, `${DIR}/new`, { overwrite: false });
const remove: Work = (session) => session.remove(`${DIR}/f0`, calm);
const chmod: Work = (session) => session.changeMode(`${DIR}/f0`, 0o600, { ...calm, recursive: false });

describe('A directory that is swapped while a tree operation runs', () => {
  const ofFiles = (changes: readonly string[]) => changes.filter((change) => change.includes('/f'));

  it.each<[string, Work]>([
    ['delete', (session) => session.remove(DIR, calm)],
    ['chmod', (session) => session.changeMode(DIR, 0o700, { ...calm, recursive: true })],
  ])('ends a %s with the requests that were in flight', async (_what, work) => {
    const swapped: Swaps['leadsAway'] = ({ changes }) => changes > 1;
    const host = await startSwappingHost({ files: 200, leadsAway: swapped });
    expect(await failureOf(work(host.session))).toMatchObject(OUTSIDE);
    expect(ofFiles(host.changes).length).toBeLessThanOrEqual(FLIGHT);
  });

  it.each<[string, Work]>([
    ['delete', (session) => session.remove(DIR, calm)],
    ['chmod', (session) => session.changeMode(DIR, 0o700, { ...calm, recursive: true })],
  ])('before a %s has started in it is left untouched', async (_what, work) => {
    // The first belongs to the listing itself.
    const host = await startSwappingHost({ files: 40, leadsAway: ({ since_listed }) => since_listed > 1 });
    expect(await failureOf(work(host.session))).toMatchObject(OUTSIDE);
    expect(ofFiles(host.changes)).toEqual([]);
  });
});

describe('A directory with a name that no request can address', () => {
  it.each(['', 'a/../../b', 'nul\0'])('is not deleted, and loses nothing (%j)', async (name) => {
    const host = await startSwappingHost({ files: 3, names: [name] });
    const { code, detail } = await failureOf(host.session.remove(DIR, calm));
    expect([code, detail.endsWith(`: ${DIR}`)]).toEqual(['unaddressable_name', true]);
    expect(host.changes).toEqual([]);
  });
});

describe('A directory that is swapped back and forth', () => {
  it.each<[string, Work]>([
    ['mkdir', mkdir],
    ['rename', rename],
    ['delete', remove],
    ['chmod', chmod],
  ])('does not let a %s start', async (_what, work) => {
    const host = await startSwappingHost({ leadsAway: ({ nth }) => nth % 3 === 2 });
    expect(await failureOf(work(host.session))).toMatchObject(OUTSIDE);
    expect(host.changes).toEqual([]);
  });

  it.each<[string, Work, string[]]>([
    ['mkdir is undone', mkdir, [`MKDIR ${DIR}/new`, `RMDIR ${DIR}/new`]],
    ['rename is undone', rename, [`RENAME ${DIR}/f0 ${DIR}/new`, `RENAME ${DIR}/new ${DIR}/f0`]],
    ['delete is told', remove, [`REMOVE ${DIR}/f0`]],
  ])('at the moment of the change: a %s', async (_what, work, changes) => {
    const host = await startSwappingHost({ leadsAway: ({ changes: made }) => made === 1 });
    expect(await failureOf(work(host.session))).toMatchObject(OUTSIDE);
    expect(host.changes).toEqual(changes);
  });

  it('is not listed when it led elsewhere around the time it was opened', async () => {
    const host = await startSwappingHost({ leadsAway: ({ path, nth }) => path === DIR && nth > 0 });
    expect(await failureOf(host.session.list(DIR))).toMatchObject(OUTSIDE);
    await expect.poll(host.open).toBe(0);
  });

  it('never puts the content of another file than the listed one into an archive', async () => {
    const host = await startSwappingHost({
      opened: { ...FILE, uid: 0, mtime: 5 },
      leadsAway: ({ path, nth }) => path === `${DIR}/f0` && nth % 2 === 1,
    });
    const archive = host.session.archive([{ path: DIR, name: 'd' }], calm);
    const text = Buffer.from(await new Response(archive).arrayBuffer()).toString('latin1');
    expect(text).toContain('_skipped.txt');
    expect(text).not.toContain('OUTSIDE');
  });

  it('keeps no part file that was created outside: one of a dozen removals finds it', async () => {
    const host = await startSwappingHost({
      leadsAway: ({ path }) => path.endsWith('part'),
      refuses: (_change, nth) => nth === 0,
    });
    const made = host.session.createPart(`${DIR}/part`, { is_private: true });
    expect(await failureOf(made)).toMatchObject(OUTSIDE);
    expect(new Set(host.changes)).toEqual(new Set([`REMOVE ${DIR}/part`]));
    expect(host.changes.length).toBeGreaterThanOrEqual(12);
  });
});

describe('A host that returns more than was requested', () => {
  it('is refused with sftp_failed, and nothing of the reply is used', async () => {
    const host = await startSwappingHost({ content: 'x'.repeat(300_000) });
    const file = await host.session.openRead(`${DIR}/f0`);
    expect(await failureOf(file.readAll(FILE.size))).toMatchObject({ code: 'sftp_failed' });
  });
});
