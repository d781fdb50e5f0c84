import type { EmbedBounds, EmbedSession } from '#core/model/embed.ts';
import { type Actor, type Answer, freshAddress, type TestGateway } from '../gateway/gateway.ts';

const TICKET = '/api/auth/embed-ticket';
const SESSION = '/api/auth/embed-session';

type Asked = Omit<EmbedBounds, 'mode'> & {
  readonly mode?: EmbedBounds['mode'];
  readonly expires_in?: number;
};

export function mint(minter: Actor, asked: Asked): Promise<Answer<{ ticket: string; expires_in: number }>> {
  return minter.call('POST', TICKET, asked);
}

/** From a fresh address, so that the limit only affects the tests that are about it. */
export async function exchange(
  gateway: Pick<TestGateway, 'anonymous'>,
  ticket: string,
): Promise<Answer<EmbedSession & { readonly code?: string }>> {
  const response = await gateway.anonymous.fetch(SESSION, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': freshAddress() },
    body: JSON.stringify({ ticket }),
  });
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as EmbedSession };
}

/** An embedded session. */
export async function embed(
  gateway: Pick<TestGateway, 'anonymous' | 'actor'>,
  minter: Actor,
  asked: Asked,
): Promise<Actor> {
  const { body } = await mint(minter, asked);
  const started = await exchange(gateway, body.ticket);
  if (started.status !== 200) throw new Error(`Not embedded: ${JSON.stringify([body, started.body])}`);
  return gateway.actor(started.body.access_token);
}
