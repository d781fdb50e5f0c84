import { type GatewayClient, take } from './client.ts';
import { ClientError } from './client-error.ts';
import { assertServed } from './download.ts';

/** What a browser opens by itself. */
export type RecordingFile = 'play' | 'text' | 'download';

/** A link that is good for a minute; what would be refused is thrown now. */
export async function recordingLink(client: GatewayClient, id: number, file: RecordingFile): Promise<string> {
  const { href } = client.url(`/api/recordings/${id}/${file}`, await admission(client, id));
  await assertServed(href);
  return href;
}

/** A ticket, so that the token stays out of URLs; demo mode refuses the write that makes one. */
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
