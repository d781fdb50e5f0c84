export interface Shown {
  /** Ends with a slash. */
  readonly base_url: string;
  readonly server_id: number;
}

export function scriptTag({ base_url, server_id }: Shown, integrity: string | null): string {
  const check = integrity === null ? '' : ` integrity="${integrity}"`;
  return `<script type="module" src="${base_url}embed/sallyport.js"${check} crossorigin></script>
<sallyport-terminal server-id="${server_id}" style="height: 400px"></sallyport-terminal>`;
}

export function mintCommand({ base_url, server_id }: Shown): string {
  return `curl ${base_url}api/auth/embed-ticket \\
  -H "Authorization: Bearer $SALLYPORT_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"server_id": ${server_id}, "kind": "terminal", "mode": "rw"}'`;
}

/** Runs the site of `deploy/embed`. */
export function exampleCommand({ base_url, server_id }: Shown): string {
  return `GATEWAY_URL=${base_url.replace(/\/$/, '')} \\
SALLYPORT_API_KEY=sp_… \\
SERVER_ID=${server_id} \\
PORT=8080 \\
node deploy/embed/server.mjs`;
}
