/** `base_url` ends with a slash. */
export function scriptTag(base_url: string, integrity: string | null): string {
  const check = integrity === null ? '' : ` integrity="${integrity}"`;
  return `<script type="module" src="${base_url}embed/sallyport.js"${check} crossorigin></script>
<sallyport-terminal server-id="1" style="height: 400px"></sallyport-terminal>`;
}

export function mintCommand(base_url: string): string {
  return `curl ${base_url}api/auth/embed-ticket \\
  -H "Authorization: Bearer $SALLYPORT_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"server_id": 1, "kind": "terminal", "mode": "rw"}'`;
}

/** For `.env`, where no site is allowed yet. */
export const ALLOW_A_SITE = 'SERVICE_ALLOWED_ORIGINS=https://portal.example.com';
