import { type GatewayClient, type Schemas, take } from '../client.ts';
import { ClientError, networkError, toClientError } from '../client-error.ts';

/** A link that the browser downloads directly. Throws now if the gateway would refuse it. */
export async function fileLink(client: GatewayClient, server_id: number, path: string): Promise<string> {
  const query = { path, ...(await admission(client, server_id, path)) };
  const { href } = client.url(`/api/files/${server_id}/download`, query);
  await assertServed(href);
  return href;
}

/** A link for a ZIP archive of one path, or of several in one directory. */
export async function archiveLink(
  client: GatewayClient,
  server_id: number,
  { paths, base_path }: { readonly paths: readonly string[]; readonly base_path: string },
): Promise<string> {
  const [path] = paths;
  const query =
    path !== undefined && paths.length === 1
      ? { path, ...(await admission(client, server_id, path)) }
      : { ticket: await ticketFor(client, server_id, { paths: [...paths], base_path }) };
  const { href } = client.url(`/api/files/${server_id}/download-zip`, query);
  await assertServed(href);
  return href;
}

/** A ticket keeps the token out of URLs. Demo mode refuses to create one, so the token is used there. */
async function admission(client: GatewayClient, server_id: number, path: string) {
  try {
    return { ticket: await ticketFor(client, server_id, { path }) };
  } catch (error) {
    const token = client.token();
    if (error instanceof ClientError && error.code === 'demo_mode' && token !== undefined) return { token };
    throw error;
  }
}

async function ticketFor(
  client: GatewayClient,
  server_id: number,
  body: { path: string } | Schemas['ZipInput'],
): Promise<string> {
  const params = { path: { server_id } };
  return (await take(client.http.POST('/api/files/{server_id}/ticket', { params, body }))).ticket;
}

/** A browser download does not report why it failed, so the link is checked first. */
export async function assertServed(href: string): Promise<void> {
  try {
    if ((await fetch(href, { method: 'HEAD' })).ok) return;
    const refused = await fetch(href); // a HEAD response has no body with the reason
    if (!refused.ok) throw await toClientError(refused);
    await refused.body?.cancel();
  } catch (error) {
    throw error instanceof ClientError ? error : networkError(error);
  }
}
