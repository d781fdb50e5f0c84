import { type GatewayClient, take } from '#client/client.ts';
import { ClientError } from '#client/transport/client-error.ts';
import type { KeptJob, KeptPart, Ledger } from './ledger.ts';

const KEPT_MS = 24 * 60 * 60 * 1000; // as long as the gateway keeps unfinished uploads

interface Tools {
  readonly client: GatewayClient;
  readonly ledger: Ledger;
}

/** Restores uploads that were unfinished when the page was left, and forgets expired ones. */
export async function unfinishedJobs(
  { client, ledger }: Tools,
  { elsewhere, now_ms }: { elsewhere: ReadonlySet<string>; now_ms: number },
): Promise<KeptJob[]> {
  const [jobs, parts] = await Promise.all([ledger.jobs(), ledger.parts()]);
  const own = jobs.filter(({ id }) => !elsewhere.has(id));
  const standing = await standingUploads(client, new Set(own.map(({ server_id }) => server_id)));
  const isStanding = ({ server_id, upload_id }: KeptPart) => standing.get(server_id)?.has(upload_id) ?? true;
  for (const part of parts) if (!isStanding(part)) await ledger.forgetPart(part.fingerprint);
  const kept: KeptJob[] = [];
  for (const job of own) {
    const has_part = parts.some((part) => part.job_id === job.id && isStanding(part));
    if (has_part || job.begun_ms > now_ms - KEPT_MS) kept.push(job);
    else await ledger.forgetJob(job.id);
  }
  return kept;
}

/** The user's uploads known to the gateway, by server. A server that cannot be asked has no entry. */
async function standingUploads(client: GatewayClient, server_ids: ReadonlySet<number>) {
  const standing = new Map<number, ReadonlySet<string>>();
  for (const server_id of server_ids) {
    const params = { path: { server_id } };
    try {
      const uploads = await take(client.http.GET('/api/files/{server_id}/uploads', { params }));
      standing.set(server_id, new Set(uploads.map(({ id }) => id)));
    } catch (error) {
      if (error instanceof ClientError && error.status === 404) standing.set(server_id, new Set());
    }
  }
  return standing;
}

/** Bytes of a job on the host, as far as the host can be reached. */
export async function bytesOnHost({ client, ledger }: Tools, job_id: string): Promise<number | undefined> {
  const part = (await ledger.parts()).find((candidate) => candidate.job_id === job_id);
  if (!part) return undefined;
  const { server_id, upload_id } = part;
  const params = { path: { server_id, upload_id } };
  try {
    return (await take(client.http.GET('/api/files/{server_id}/uploads/{upload_id}', { params }))).offset;
  } catch {
    return undefined;
  }
}
