// Uploads a folder: node upload-folder.mjs <server id> <folder> <remote folder>
// Run it again after an interruption: it skips the files that are there, and resumes the one that was under way.
import { openAsBlob } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, posix, relative } from 'node:path';
import { createClient, take, uploadFile } from '@sallyport/client';

const { SALLYPORT_URL: base_url, SALLYPORT_KEY: credentials } = process.env;
const [id, folder, remote] = process.argv.slice(2);
const server_id = Number(id);
const client = createClient({ base_url, credentials });
const params = { path: { server_id } };

const STARTED = join(folder, '.sallyport-upload.json');
const started = JSON.parse(await readFile(STARTED, 'utf8').catch(() => '{}'));

/** The sizes of the files in a remote folder, which is created if need be. */
async function sizesIn(path) {
  await client.http.POST('/api/files/{server_id}/mkdir', { params, body: { path, parents: true } });
  const query = { path };
  const listing = client.http.GET('/api/files/{server_id}/ls', { params: { ...params, query } });
  return new Map((await take(listing)).entries.map(({ name, size }) => [name, size]));
}

async function upload(path, directory, filename) {
  await uploadFile(client, await openAsBlob(path), {
    plan: { server_id, directory, filename, overwrite: true, upload_id: started[path] },
    watch: {
      onBegun: (upload_id) => void writeFile(STARTED, JSON.stringify({ [path]: upload_id })),
      onProgress: (bytes) => console.log(`${path}: ${bytes} bytes`),
    },
  });
}

const entries = await readdir(folder, { recursive: true, withFileTypes: true });
const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
const sizes = new Map();
for (const path of paths.sort()) {
  if (path === STARTED) continue;
  const directory = posix.join(remote, relative(folder, dirname(path)));
  if (!sizes.has(directory)) sizes.set(directory, await sizesIn(directory));
  const { size } = await stat(path);
  if (sizes.get(directory).get(basename(path)) === size) console.log(`${path}: already there`);
  else await upload(path, directory, basename(path));
}
await rm(STARTED, { force: true });
