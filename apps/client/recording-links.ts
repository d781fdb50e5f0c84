import { type GatewayClient, take } from './client.ts';
import { ClientError } from './client-error.ts';
import { assertServed } from './transfers/download.ts';

/** Views that the browser opens directly. */
export type RecordingFile = 'text' | 'download';

/** A link that is valid for a minute. Throws now if the gateway would refuse it. */
export async function recordingLink(client: GatewayClient, id: number, file: RecordingFile): Promise<string> {
  const { href } = client.url(`/api/recordings/${id}/${file}`, await admission(client, id));
  await assertServed(href);
  return href;
}

/** The cast of a recording, for the player; valid for a minute. */
export async function castLink(client: GatewayClient, id: number): Promise<string> {
  return client.url(`/api/recordings/${id}/cast`, await admission(client, id)).href;
}

/** A ticket keeps the token out of URLs. Demo mode refuses to create one, so the token is used there. */
async function admission(client: GatewayClient, id: number): Promise<Record<string, string>> {
  try {
    const { ticket } = await take(
      client.http.POST('/api/recordings/{id}/ticket', { params: { path: { id } } }),
    );
    return { ticket };
  } catch (error) {
    const token = client.token();
    if (error instanceof ClientError && error.code === 'demo_mode' && token !== undefined) return { token };
    throw error;
  }
}
