import { admissionBy } from './admission.ts';
import { type GatewayClient, take } from './client.ts';
import { assertServed } from './transport/load.ts';

/** Views that the browser opens directly. */
export type RecordingFile = 'text' | 'download';

/** A link that is valid for a minute. Throws now if the gateway would refuse it. */
export async function recordingLink(
  client: GatewayClient,
  { id, file }: { readonly id: number; readonly file: RecordingFile },
  signal?: AbortSignal,
): Promise<string> {
  const { href } = client.url(`/api/recordings/${id}/${file}`, await admission(client, id, signal));
  await assertServed(href, { fetch: client.fetch, signal });
  return href;
}

/** The cast of a recording, for the player; valid for a minute. */
export async function castLink(client: GatewayClient, id: number, signal?: AbortSignal): Promise<string> {
  return client.url(`/api/recordings/${id}/cast`, await admission(client, id, signal)).href;
}

function admission(client: GatewayClient, id: number, signal: AbortSignal | undefined) {
  const options = { params: { path: { id } }, signal: signal ?? null };
  return admissionBy(client, take(client.http.POST('/api/recordings/{id}/ticket', options)));
}
