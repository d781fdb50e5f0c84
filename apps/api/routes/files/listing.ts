import type { FileConnects } from '#core/files/connects.ts';
import type { Files } from '#core/files/listing.ts';
import type { OldCopyFinder } from '#core/files/old-copies/old-copies.ts';
import {
  connectFiles,
  homeOfFiles,
  listFiles,
  oldCopies,
  readFile,
  searchFiles,
  statFile,
} from '../../contract/files/files.ts';
import type { Runtime } from '../../http/env.ts';
import { answerSignals, goneSignal } from '../../http/gone-signal.ts';
import type { Router } from '../../http/router.ts';
import { sendEntries, sendText } from '../../http/send-entries.ts';

interface Options {
  readonly files: Files;
  readonly old_copies: OldCopyFinder;
  readonly file_connects: FileConnects;
  readonly runtime: Runtime;
}

export function mountFiles(router: Router, { files, old_copies, file_connects, runtime }: Options): void {
  router.on(homeOfFiles, async (c) =>
    c.json(await files.home(c.var.caller, c.req.valid('param').server_id), 200),
  );
  router.on(listFiles, async (c) => {
    const place = { ...c.req.valid('param'), ...c.req.valid('query') };
    return sendEntries(c, await files.list(c.var.caller, place, answerSignals(c, runtime)));
  });
  router.on(statFile, async (c) =>
    c.json(await files.stat(c.var.caller, { ...c.req.valid('param'), ...c.req.valid('query') }), 200),
  );
  router.on(readFile, async (c) => {
    const place = { ...c.req.valid('param'), ...c.req.valid('query') };
    return sendText(c, await files.read(c.var.caller, place, answerSignals(c, runtime)));
  });
  router.on(searchFiles, async (c) => {
    const place = { ...c.req.valid('param'), ...c.req.valid('query') };
    return c.json(await files.search(c.var.caller, place, goneSignal(c, runtime)), 200);
  });
  router.on(oldCopies, async (c) => {
    const place = { ...c.req.valid('param'), ...c.req.valid('query') };
    return c.json(await old_copies.find(c.var.caller, place), 200);
  });
  router.on(connectFiles, async (c) => {
    await file_connects.connect(c.var.caller, { ...c.req.valid('param'), ...c.req.valid('json') });
    return c.json({ connected: true as const }, 200);
  });
}
