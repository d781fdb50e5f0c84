import { afterEach, expect, it, vi } from 'vitest';
import { createClient } from '#client/client.ts';
import { recordingLink } from '#client/recording-links.ts';

const refusal = (status: number, code: string) => Response.json({ detail: code, code }, { status });

/** A gateway that answers ticket requests this way and serves the links. */
function clientOf(ticket: () => Response, served: () => Response = () => new Response('page')) {
  vi.stubGlobal('fetch', async () => served());
  return createClient({ base_url: 'http://gateway/ops', token: () => 'secret', fetch: async () => ticket() });
}

afterEach(() => vi.unstubAllGlobals());

it('A link to a recording contains a ticket, not the token', async () => {
  const client = clientOf(() => Response.json({ ticket: 'abc', expires_in: 60 }));
  expect(await recordingLink(client, 7, 'text')).toBe('http://gateway/ops/api/recordings/7/text?ticket=abc');
});

it('A link to a recording contains the token in demo mode, which issues no tickets', async () => {
  const client = clientOf(() => refusal(403, 'demo_mode'));
  expect(await recordingLink(client, 7, 'text')).toBe(
    'http://gateway/ops/api/recordings/7/text?token=secret',
  );
});

it.each([
  ['recording_not_found', () => refusal(404, 'recording_not_found'), undefined],
  [
    'recording_file_missing',
    () => Response.json({ ticket: 'abc', expires_in: 60 }),
    () => refusal(404, 'recording_file_missing'),
  ],
])('A refused link to a recording is not opened: %s', async (code, ticket, served) => {
  await expect(recordingLink(clientOf(ticket, served), 7, 'download')).rejects.toMatchObject({ code });
});
