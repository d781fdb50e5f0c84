import { describe, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import { type Basis, saveText } from '../../../apps/web/editor/text-file.ts';

interface Answering {
  readonly status: number;
  readonly body: unknown;
}

const saved = { status: 200, body: { path: '/a', status: 'saved', etag: '"2"' } };
const stale = { status: 412, body: { detail: 'The file was changed meanwhile', code: 'stale_etag' } };
const present = (content: string) => ({
  status: 200,
  body: { path: '/a', content, etag: '"3"', size: content.length },
});
const refused = (status: number, code: string) => ({ status, body: { detail: code, code } });

/** A save against a gateway that gives these answers in order. */
async function save(basis: Basis, ...answers: readonly Answering[]) {
  const requests: Request[] = [];
  const client = createClient({
    base_url: 'https://gate.example',
    credentials: 'sesame',
    retries: 0,
    fetch: async (request) => {
      const answer = answers[requests.length];
      requests.push(request);
      if (!answer) throw new Error('No more answers');
      return new Response(JSON.stringify(answer.body), { status: answer.status });
    },
  });
  const outcome = saveText(client, { server_id: 1, path: '/a' }, { content: 'mine', basis });
  return { outcome: await outcome.catch((error: unknown) => ({ kind: 'threw', error })), requests };
}

const etag = (value: string): Basis => ({ kind: 'etag', etag: value });

describe('a save', () => {
  it('sends the ETag that was read', async () => {
    const { outcome, requests } = await save(etag('"1"'), saved);
    expect(outcome).toEqual({ kind: 'saved', etag: '"2"' });
    expect([requests[0]?.method, requests[0]?.headers.get('If-Match')]).toEqual(['PUT', '"1"']);
    expect(await requests[0]?.json()).toEqual({ path: '/a', content: 'mine' });
  });

  it('reports that the host has removed set-ID bits', async () => {
    const lost = { ...saved, body: { ...saved.body, in_place: true, is_mode_kept: false } };
    expect((await save(etag('"1"'), lost)).outcome).toMatchObject({ kind: 'saved', has_lost_mode: true });
  });

  it('of a new file requires that none exists', async () => {
    const { requests } = await save({ kind: 'absent' }, saved);
    expect(requests[0]?.headers.get('If-None-Match')).toBe('*');
    expect(requests[0]?.headers.get('If-Match')).toBeNull();
  });

  it('that overwrites sends no condition', async () => {
    const { requests } = await save({ kind: 'any' }, saved);
    expect([requests[0]?.headers.get('If-Match'), requests[0]?.headers.get('If-None-Match')]).toEqual([
      null,
      null,
    ]);
  });

  it('reports what somebody else has saved', async () => {
    const { outcome } = await save(etag('"1"'), stale, present('theirs'));
    expect(outcome).toMatchObject({ kind: 'changed', theirs: { content: 'theirs', etag: '"3"' } });
  });

  it('succeeds when its own text is already there, as after a lost answer', async () => {
    const { outcome } = await save(etag('"1"'), stale, present('mine'));
    expect(outcome).toEqual({ kind: 'saved', etag: '"3"' });
  });

  it('reports that the file is gone', async () => {
    const { outcome } = await save(etag('"1"'), stale, refused(404, 'file_not_found'));
    expect(outcome).toEqual({ kind: 'gone' });
  });

  it.each([
    [415, 'not_text'],
    [413, 'file_too_large'],
    [409, 'not_a_file'],
  ])('reports that something else is at the path: %d', async (status, code) => {
    const { outcome } = await save(etag('"1"'), stale, refused(status, code));
    expect(outcome).toMatchObject({ kind: 'replaced', error: { code } });
  });

  it.each([
    [507, 'remote_disk_full'],
    [403, 'permission_denied'],
    [502, 'host_disconnected'],
    [423, 'file_busy'],
    [404, 'file_not_found'],
  ])('fails for a reason unrelated to the text: %d', async (status, code) => {
    const { outcome, requests } = await save(etag('"1"'), refused(status, code));
    expect(outcome).toMatchObject({ kind: 'threw', error: { status, code } });
    expect(requests).toHaveLength(1);
  });

  it('fails when the current content cannot be read', async () => {
    const { outcome } = await save(etag('"1"'), stale, refused(502, 'host_disconnected'));
    expect(outcome).toMatchObject({ kind: 'threw', error: { code: 'host_disconnected' } });
  });
});
