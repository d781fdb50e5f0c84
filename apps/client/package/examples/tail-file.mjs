// Prints the end of a file, then what is appended to it: node tail-file.mjs <server id> <path>
import { setTimeout as pause } from 'node:timers/promises';
import { createClient, downloadFile, take } from '@sallyport/client';

const { SALLYPORT_URL: base_url, SALLYPORT_KEY: credentials } = process.env;
const [id, path] = process.argv.slice(2);
const server_id = Number(id);
const client = createClient({ base_url, credentials });
const params = { path: { server_id }, query: { path } };

let offset;
for (;;) {
  const { size } = await take(client.http.GET('/api/files/{server_id}/stat', { params }));
  offset ??= Math.max(0, size - 4096);
  if (size < offset) offset = 0; // it was truncated
  if (size > offset) {
    const { body } = await downloadFile(client, { server_id, path, offset });
    for await (const bytes of body) {
      process.stdout.write(bytes);
      offset += bytes.length;
    }
  }
  await pause(1000);
}
