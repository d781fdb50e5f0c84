import type { ApiDocument, Operation, Parameter } from './document.ts';
import { exampleOf } from './example.ts';

const PATHS: Readonly<Record<string, string>> = { path: '/srv/site', member: 'docs/guide.txt', q: 'report' };
/** Example headers of the tus protocol. */
const HEADERS: Readonly<Record<string, string>> = {
  'tus-resumable': '1.0.0',
  'upload-length': '1048576',
  'upload-offset': '0',
  'upload-metadata': 'filename cmVwb3J0LnBkZg==',
};

/** A command that calls the operation at this gateway; `$token` is the caller's. */
export function curlOf(operation: Operation, document: ApiDocument, base: string): string {
  if (operation['x-websocket']) return socketCommand(operation, base);
  return [
    `curl ${flagsOf(operation)}${quoted(addressOf(operation, base))}`,
    ...headersOf(operation),
    ...bodyOf(operation, document),
  ].join(' \\\n  ');
}

function flagsOf({ method, responses = {} }: Operation): string {
  const [type = ''] = Object.keys(responses['200']?.content ?? {});
  const verb = method === 'GET' || method === 'HEAD' ? '' : `-X ${method} `;
  if (method === 'HEAD') return '-I ';
  if (type === 'text/event-stream') return `-N ${verb}`;
  return /octet-stream|zip|asciicast|image/.test(type) ? `-OJ ${verb}` : verb;
}

function headersOf(operation: Operation): string[] {
  const type = Object.keys(operation.requestBody?.content ?? {})[0];
  return [
    ...(operation['x-access'] === 'public' ? [] : ['-H "authorization: Bearer $token"']),
    ...(operation.parameters ?? []).flatMap(({ name }) => {
      const value = HEADERS[name];
      return value === undefined ? [] : [`-H ${quoted(`${name}: ${value}`)}`];
    }),
    ...(type && type !== 'multipart/form-data' ? [`-H ${quoted(`content-type: ${type}`)}`] : []),
  ];
}

function bodyOf({ requestBody }: Operation, document: ApiDocument): string[] {
  const [[type, body] = ['', undefined]] = Object.entries(requestBody?.content ?? {});
  if (!body) return [];
  if (type === 'multipart/form-data') return ["-F 'file=@report.pdf'"];
  if (type !== 'application/json') return ["--data-binary '@report.pdf'"];
  return [`-d ${quoted(JSON.stringify(exampleOf(body.schema ?? {}, document)))}`];
}

/** The URL with an example of each required parameter. */
function addressOf(operation: Operation, base: string): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const found = parametersIn(operation, 'path').find((parameter) => parameter.name === name);
    return found ? exampleValue(found) : name;
  });
  const query = parametersIn(operation, 'query').map(
    (parameter) => `${parameter.name}=${exampleValue(parameter)}`,
  );
  return `${base}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

function parametersIn({ parameters = [] }: Operation, place: string): Parameter[] {
  return parameters.filter((parameter) => parameter.in === place && parameter.required);
}

function exampleValue({ name, schema = {} }: Parameter): string {
  const [first] = schema.enum ?? [];
  if (first !== undefined) return String(first);
  return schema.type === 'integer' ? '1' : (PATHS[name] ?? name.toUpperCase());
}

/** curl cannot speak over a WebSocket; websocat can. */
function socketCommand(operation: Operation, base: string): string {
  const address = addressOf(operation, base.replace(/^http/, 'ws'));
  return [
    `ticket=$(curl -s -X POST ${quoted(`${base}/api/auth/ws-ticket`)} -H "authorization: Bearer $token" | jq -r .ticket)`,
    `websocat --protocol sallyport.v1 "${address}${address.includes('?') ? '&' : '?'}ticket=$ticket"`,
  ].join('\n');
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
