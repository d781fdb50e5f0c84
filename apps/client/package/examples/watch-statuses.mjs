// Prints the status of every server, then each change.
import { setTimeout as pause } from 'node:timers/promises';
import { ClientError, createClient, watchStatuses } from '@sallyport/client';

const { SALLYPORT_URL: base_url, SALLYPORT_KEY: credentials } = process.env;
const client = createClient({ base_url, credentials });
const cancelling = new AbortController();
process.once('SIGINT', () => cancelling.abort());
const { signal } = cancelling;

while (!signal.aborted) {
  try {
    for await (const statuses of watchStatuses(client, { signal }))
      for (const [id, { status, error }] of Object.entries(statuses)) console.log(id, status, error ?? '');
    await pause(1000, undefined, { signal }); // the gateway ends the stream when it restarts
  } catch (error) {
    if (signal.aborted) break;
    if (!(error instanceof ClientError) || error.status !== 0) throw error;
    await pause(1000, undefined, { signal }).catch(() => undefined);
  }
}
