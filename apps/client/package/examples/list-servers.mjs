// Lists the servers that the key may reach, with their status.
import { createClient, take } from '@sallyport/client';

const { SALLYPORT_URL: base_url, SALLYPORT_KEY: credentials } = process.env;
const client = createClient({ base_url, credentials });

const servers = await take(client.http.GET('/api/servers'));
const statuses = await take(client.http.GET('/api/servers/status'));
for (const { id, name, hostname } of servers) console.log(id, name, hostname, statuses[id]?.status);
