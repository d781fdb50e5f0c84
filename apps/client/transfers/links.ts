import { admissionBy } from '../admission.ts';
import { type GatewayClient, type Schemas, take } from '../client.ts';
import { assertServed } from '../transport/load.ts';

export interface LinkedFile {
  readonly server_id: number;
  readonly path: string;
}

export interface LinkedArchive {
  readonly server_id: number;
  readonly paths: readonly string[];
  readonly base_path: string;
}

/** A link that the browser downloads directly. Throws now if the gateway would refuse it. */
export async function fileLink(
  client: GatewayClient,
  { server_id, path }: LinkedFile,
  signal?: AbortSignal,
): Promise<string> {
  const query = { path, ...(await admission(client, { server_id, body: { path } }, signal)) };
  const { href } = client.url(`/api/files/${server_id}/download`, query);
  await assertServed(href, { fetch: client.fetch, signal });
  return href;
}

/** A link for a ZIP archive of one path, or of several in one directory. */
export async function archiveLink(
  client: GatewayClient,
  { server_id, paths, base_path }: LinkedArchive,
  signal?: AbortSignal,
): Promise<string> {
  const [path] = paths;
  const query =
    path !== undefined && paths.length === 1
      ? { path, ...(await admission(client, { server_id, body: { path } }, signal)) }
      : { ticket: await ticketFor(client, { server_id, body: { paths: [...paths], base_path } }, signal) };
  const { href } = client.url(`/api/files/${server_id}/download-zip`, query);
  await assertServed(href, { fetch: client.fetch, signal });
  return href;
}

interface Wanted {
  readonly server_id: number;
  readonly body: { path: string } | Schemas['ZipInput'];
}

function admission(client: GatewayClient, wanted: Wanted, signal: AbortSignal | undefined) {
  return admissionBy(
    client,
    ticketFor(client, wanted, signal).then((ticket) => ({ ticket })),
  );
}

async function ticketFor(
  client: GatewayClient,
  { server_id, body }: Wanted,
  signal: AbortSignal | undefined,
): Promise<string> {
  const options = { params: { path: { server_id } }, body, signal: signal ?? null };
  return (await take(client.http.POST('/api/files/{server_id}/ticket', options))).ticket;
}
