// A site with an embedded terminal and files. The API key stays here; the page gets tickets that work once.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { env } from 'node:process';

const { GATEWAY_URL = '', SALLYPORT_API_KEY = '', SERVER_ID = '1', PORT = '8080' } = env;
const { origin } = new URL(GATEWAY_URL);
const policy = `default-src 'none'; script-src 'self' ${origin}; style-src 'self'; img-src 'self' ${origin}; connect-src 'self' ${origin} ${origin.replace(/^http/, 'ws')}`;
const kinds = { '/ticket/terminal': 'terminal', '/ticket/files': 'files' };
const files = { '/page.js': 'text/javascript', '/page.css': 'text/css', '/favicon.svg': 'image/svg+xml' };

async function ticket(kind) {
  // Here your site decides who may use which server.
  const answer = await fetch(`${GATEWAY_URL}/api/auth/embed-ticket`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SALLYPORT_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ server_id: Number(SERVER_ID), kind }),
  });
  return [answer.status, 'application/json', await answer.text()];
}

function file(path) {
  const text = readFileSync(new URL(path === '/' ? './index.html' : `.${path}`, import.meta.url), 'utf8');
  const filled = text.replaceAll('GATEWAY_URL', GATEWAY_URL).replaceAll('SERVER_ID', SERVER_ID);
  return [200, files[path] ?? 'text/html', filled];
}

createServer(async ({ method, url }, response) => {
  const is_file = url === '/' || url in files;
  const [status, type, body] =
    method === 'POST' && url in kinds
      ? await ticket(kinds[url]).catch(() => [502, 'text/plain', 'The gateway does not answer'])
      : is_file
        ? file(url)
        : [404, 'text/plain', ''];
  response.writeHead(status, { 'content-type': type, 'content-security-policy': policy }).end(body);
}).listen(Number(PORT), '127.0.0.1');
