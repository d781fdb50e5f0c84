import { type GatewayClient, take } from './client.ts';
import { ClientError, networkError, toClientError } from './client-error.ts';

/** A link with which a browser downloads one file by itself; what would be refused is thrown now. */
export async function fileLink(client: GatewayClient, server_id: number, path: string): Promise<string> {
  const query = { path, ...(await admission(client, server_id, path)) };
  const { href } = client.url(`/api/files/${server_id}/download`, query);
  await assertServed(href);
  return href;
}

/** A ticket, so that the token stays out of URLs; demo mode refuses the write that makes one. */
async function admission(client: GatewayClient, server_id: number, path: string) {
  try {
    const body = { path };
    const params = { path: { server_id } };
    const answer = client.http.POST('/api/files/{server_id}/ticket', { params, body });
    return { ticket: (await take(answer)).ticket };
  } catch (error) {
    const token = client.token();
    if (error instanceof ClientError && error.code === 'demo_mode' && token !== undefined) return { token };
    throw error;
  }
}

/** A browser's own download tells nobody why it failed. */
async function assertServed(href: string): Promise<void> {
  try {
    if ((await fetch(href, { method: 'HEAD' })).ok) return;
    const refused = await fetch(href); // HEAD has no body that says why
    if (!refused.ok) throw await toClientError(refused);
    await refused.body?.cancel();
  } catch (error) {
    throw error instanceof ClientError ? error : networkError(error);
  }
}
