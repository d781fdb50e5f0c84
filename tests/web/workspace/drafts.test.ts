import { describe, expect, it } from 'vitest';
import type { Place } from '../../../apps/web/lib/storage.ts';
import {
  createDrafts,
  type Draft,
  MAX_DRAFTS_LENGTH,
  readDrafts,
  withDraft,
} from '../../../apps/web/workspace/unsaved/drafts.ts';

const draft = (path: string, content = 'text', server_id = 1): Draft => ({
  server_id,
  path,
  etag: '"1"',
  content,
  kept_at: '2026-01-01T00:00:00Z',
});

function memory(): Place {
  let kept: string | undefined;
  return {
    read: () => (kept === undefined ? undefined : JSON.parse(kept)),
    write: (value) => {
      kept = JSON.stringify(value);
    },
    clear: () => {
      kept = undefined;
    },
  };
}

describe('unsaved text', () => {
  it('survives a reload, for the same user only', () => {
    const place = memory();
    createDrafts(7, place).keep(draft('/a'));
    expect(createDrafts(7, place).find({ server_id: 1, path: '/a' })?.content).toBe('text');
    expect(createDrafts(8, place).list()).toEqual([]);
    expect(place.read()).toBeUndefined();
  });

  it('is kept separately for one path on two servers', () => {
    const drafts = createDrafts(7, memory());
    drafts.keep(draft('/a', 'one', 1));
    drafts.keep(draft('/a', 'two', 2));
    expect(drafts.find({ server_id: 1, path: '/a' })?.content).toBe('one');
    drafts.drop({ server_id: 1, path: '/a' });
    expect(drafts.list().map(({ content }) => content)).toEqual(['two']);
  });

  it('leaves nothing behind once the last is saved', () => {
    const place = memory();
    const drafts = createDrafts(7, place);
    drafts.keep(draft('/a'));
    drafts.drop({ server_id: 1, path: '/a' });
    expect(place.read()).toBeUndefined();
  });

  it('is replaced by newer text of the same file', () => {
    const kept = withDraft([draft('/a', 'old'), draft('/b')], draft('/a', 'new'));
    expect(kept.map(({ path, content }) => [path, content])).toEqual([
      ['/a', 'new'],
      ['/b', 'text'],
    ]);
  });

  it('of the oldest file is dropped beyond the limit', () => {
    const half = 'x'.repeat(MAX_DRAFTS_LENGTH / 2);
    const kept = withDraft([draft('/b', half), draft('/c', half)], draft('/a', half));
    expect(kept.map(({ path }) => path)).toEqual(['/a', '/b']);
  });

  it('of a damaged record is ignored', () => {
    const drafts = [draft('/a'), { path: '/b' }, null, { ...draft('/c'), etag: 5 }];
    expect(readDrafts({ user_id: 7, drafts }, 7).map(({ path }) => path)).toEqual(['/a']);
    expect(readDrafts('nonsense', 7)).toEqual([]);
  });
});
