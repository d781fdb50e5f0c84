import type { Tickets } from '#core/accounts/tickets.ts';
import { invalidField } from '#core/errors.ts';
import type { Download, Downloads } from '#core/files/downloads.ts';
import type { ZipInput } from '#core/model/files/file-change.ts';
import {
  downloadFile,
  fileTicket,
  headDownload,
  headZip,
  zipDirectory,
  zipPaths,
} from '../../contract/files/transfers.ts';
import { archiveHeaders, downloadHeaders } from '../../http/download.ts';
import type { AppContext, Runtime } from '../../http/env.ts';
import type { Router } from '../../http/router.ts';
import { sendFile } from '../../http/send-file.ts';
import { type StreamLog, streamedBody } from '../../http/streamed-body.ts';

interface Options {
  readonly downloads: Downloads;
  readonly tickets: Tickets;
  readonly runtime: Runtime;
  readonly log: StreamLog;
}

const LATER_PART = /^bytes=[1-9]\d*-\d*$/; // not the start, nor several parts

export function mountFileDownloads(router: Router, { downloads, tickets, runtime, log }: Options): void {
  router.on(downloadFile, async (c) => {
    const { path, inline = '' } = c.req.valid('query');
    const place = { ...c.req.valid('param'), path };
    const is_continued = LATER_PART.test(c.req.header('range') ?? '');
    const file = await downloads.download(c.var.caller, place, { is_continued, is_head: isHead(c) });
    const headers = downloadHeaders(file, ['1', 'true'].includes(inline));
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    const stream = (range: Parameters<Download['stream']>[0]) =>
      streamedBody(c, file.stream(range), { runtime, log });
    return sendFile(c, { ...file, stream });
  });
  router.describe(headDownload);

  async function sendArchive(c: AppContext, server_id: number, input: ZipInput): Promise<Response> {
    const is_head = isHead(c);
    const { name, stream } = await downloads.archive(c.var.caller, { ...input, server_id }, { is_head });
    for (const [header, value] of Object.entries(archiveHeaders(name))) c.header(header, value);
    if (!is_head) return c.body(streamedBody(c, stream, { runtime, log }), 200);
    await stream.cancel();
    return c.body(null, 200);
  }
  router.on(zipDirectory, (c) => {
    const { path } = c.req.valid('query');
    const input = c.var.archive ?? (path === undefined ? undefined : { paths: [path] });
    if (!input) {
      const message = 'Required unless the ticket is for several';
      throw invalidField('path', message, `path: ${message}`);
    }
    return sendArchive(c, c.req.valid('param').server_id, input);
  });
  router.describe(headZip);
  router.on(zipPaths, (c) => sendArchive(c, c.req.valid('param').server_id, c.req.valid('json')));

  router.on(fileTicket, async (c) => {
    const { server_id } = c.req.valid('param');
    const wanted = c.req.valid('json');
    const paths = 'path' in wanted ? [wanted.path] : wanted.paths;
    await downloads.assertMayAsk(c.var.caller, server_id, paths);
    const { caller } = c.var;
    const ticket =
      'path' in wanted
        ? await tickets.forFile(caller, { server_id, path: wanted.path })
        : await tickets.forArchive(caller, { server_id, ...wanted });
    return c.json(ticket, 200);
  });
}

function isHead(c: AppContext): boolean {
  return c.req.method === 'HEAD';
}
