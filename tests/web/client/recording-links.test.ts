import { expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import { recordingLink } from '#client/recording-links.ts';

const refusal = (status: number, code: string) => Response.json({ detail: code, code }, { status });

/** A gateway that answers ticket requests this way and serves the links. */
function clientOf(ticket: () => Response, served: () => Response = () => new Response('page')) {
  return createClient({
    base_url: 'http://gateway/ops',
    credentials: 'secret',
    fetch: async ({ url }) => (url.endsWith('/ticket') ? ticket() : served()),
  });
}

it('A link to a recording contains a ticket, not the token', async () => {
  const client = clientOf(() => Response.json({ ticket: 'abc', expires_in: 60 }));
  expect(await recordingLink(client, { id: 7, file: 'text' })).toBe(
    'http://gateway/ops/api/recordings/7/text?ticket=abc',
  );
});

it('A link to a recording contains the token in demo mode, which issues no tickets', async () => {
  const client = clientOf(() => refusal(403, 'demo_mode'));
  expect(await recordingLink(client, { id: 7, file: 'text' })).toBe(
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
  const client = clientOf(ticket, served);
  await expect(recordingLink(client, { id: 7, file: 'download' })).rejects.toMatchObject({ code });
});
