import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { User } from '#core/model/accounts/user.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { fileRow, openFiles } from '../../support/browser/file-pages.ts';
import { goTo, useVisits } from '../../support/browser/pages.ts';
import { chooseOf } from '../../support/browser/server-pages.ts';
import { hostOf, record, shellOn } from '../../support/features/recordings.ts';
import { enrol } from '../../support/features/totp.ts';
import { ADMIN_PASSWORD, logIn, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const visits = useVisits();
let sshd: Sshd;
let gateway: TestGateway;

beforeAll(async () => {
  sshd = await startSshd();
  await writeFile(join(sshd.folder, 'notes.txt'), 'one line of text\n');
  gateway = await startGateway({ env: { SERVICE_RECORD_SESSIONS: 'true' } });
  await furnish();
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

/** One thing of each kind that can be lost. */
async function furnish(): Promise<void> {
  const { admin, anonymous, store } = gateway;
  const server = await hostOf(gateway, sshd, { name: 'harbor' });
  const ada = await gateway.user({ username: 'ada', allowed_groups: ['lab'] });
  await enrol(ada);
  const user = (await ada.call<User>('GET', '/api/auth/me')).body;
  const shell = await shellOn(gateway, ada, server.id);
  await record(ada, shell, { keys: 'echo $((6 * 7))-recorded\r', sees: /42-recorded/ });
  await shellOn(gateway, ada, server.id);
  await admin.call('POST', '/api/webhooks', { name: 'deploys', url: 'https://hooks.invalid/' });
  await admin.call('POST', '/api/snippets', { name: 'look', command: 'ls' });
  await admin.call('POST', '/api/auth/api-keys', { name: 'pipeline' });
  await admin.call('PUT', '/api/settings', { values: { monitor_interval: 30 } });
  await logIn(anonymous, 'admin', ADMIN_PASSWORD);
  const { id: user_id } = (await admin.call<User>('GET', '/api/auth/me')).body;
  const place = {
    hostname: 'box.example',
    port: 22,
    host_key: 'AAAA',
    fingerprint: 'SHA256:x',
    created_at: user.created_at,
  };
  await createRepositories(store).quick_host_keys.pin({ ...place, user_id });
}

interface Verb {
  readonly verb: string;
  readonly hash: string;
  press(page: Page): Promise<void>;
  /** Title of the question. */
  readonly asks: RegExp;
}

const button = (place: Page | Locator, name: string | RegExp) =>
  place.getByRole('button', { name, exact: true }).first().click();

async function manage(page: Page, action: string): Promise<void> {
  await button(page, 'Manage ada');
  await button(page.getByRole('dialog'), action);
}

async function chooseFor(place: Locator, item: string): Promise<void> {
  await button(place, /^More actions for/);
  await place.page().getByRole('menuitem', { name: item }).click();
}

const row = (page: Page, role: 'row' | 'listitem', name: string) =>
  page.getByRole(role).filter({ hasText: name }).first();

const VERBS: readonly Verb[] = [
  {
    verb: 'resets two-factor authentication of a user',
    hash: '#/admin/users',
    press: (page) => manage(page, 'Reset two-factor authentication'),
    asks: /^Reset two-factor authentication for ada/,
  },
  {
    verb: 'signs a user out',
    hash: '#/admin/users',
    press: (page) => manage(page, 'Sign out everywhere'),
    asks: /^Sign ada out/,
  },
  {
    verb: 'deletes a user',
    hash: '#/admin/users',
    press: (page) => manage(page, 'Delete user'),
    asks: /^Delete ada\?/,
  },
  {
    verb: 'deletes a server',
    hash: '#/admin/servers',
    press: (page) => chooseOf(page, 'harbor', 'Delete'),
    asks: /^Delete harbor\?/,
  },
  {
    verb: 'ends a terminal',
    hash: '#/admin/terminals',
    press: (page) => button(page.getByRole('row'), /^End/),
    asks: /^End ada’s terminal on harbor/,
  },
  {
    verb: 'deletes a recording',
    hash: '#/admin/recordings',
    press: (page) => chooseFor(row(page, 'row', 'Finished'), 'Delete…'),
    asks: /^Delete the recording of harbor/,
  },
  {
    verb: 'deletes a webhook',
    hash: '#/admin/webhooks',
    press: (page) => chooseFor(row(page, 'row', 'deploys'), 'Delete…'),
    asks: /^Delete deploys\?/,
  },
  {
    verb: 'resets a setting',
    hash: '#/admin/settings',
    press: (page) => button(page, 'Reset to 1 min: Check interval'),
    asks: /^Reset Check interval\?/,
  },
  {
    verb: 'resets the branding',
    hash: '#/admin/branding',
    press: (page) => button(page, 'Reset…'),
    asks: /^Reset branding/,
  },
  {
    verb: 'ends one session',
    hash: '#/account/sessions',
    press: (page) => button(page, /^End session:/),
    asks: /^End this session\?/,
  },
  {
    verb: 'ends all other sessions',
    hash: '#/account/sessions',
    press: (page) => button(page, 'End all other sessions'),
    asks: /^End all other sessions\?/,
  },
  {
    verb: 'signs out everywhere',
    hash: '#/account/sessions',
    press: (page) => button(page, 'Sign out everywhere'),
    asks: /^Sign out everywhere\?/,
  },
  {
    verb: 'revokes an API key',
    hash: '#/account/api-keys',
    press: (page) => button(page, 'Revoke key pipeline'),
    asks: /^Revoke pipeline\?/,
  },
  {
    verb: 'deletes a snippet',
    hash: '#/account/snippets',
    press: (page) => button(page, 'Delete look'),
    asks: /^Delete look\?/,
  },
  {
    verb: 'forgets a pinned host key',
    hash: '#/account/host-keys',
    press: (page) => button(page, /^Forget the pinned key of/),
    asks: /^Forget the host key of/,
  },
  {
    verb: 'deletes a file',
    hash: '#/',
    async press(page) {
      const grid = await openFiles(page, 'harbor', sshd.folder);
      await fileRow(grid, 'notes.txt').click();
      await page.keyboard.press('Delete');
    },
    asks: /^Delete notes\.txt\?/,
  },
];

/** Reads only; what a page sends to look at something is no change. */
function watchChanges(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const call = `${request.method()} ${new URL(request.url()).pathname}`;
    if (!/^(GET|HEAD) |\/(ws-)?ticket$|\/connect$/.test(call)) sent.push(call);
  });
  return sent;
}

async function pressAndCancel(page: Page, { hash, press, asks }: Verb): Promise<void> {
  await goTo(page, hash);
  await press(page);
  const question = page.getByRole('alertdialog', { name: asks }).or(page.getByRole('dialog', { name: asks }));
  await question.waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  await closeBehind(page);
}

/** Closes the dialog that the question came from. It stays `aria-hidden`, so without a role, for a frame after the question. */
async function closeBehind(page: Page): Promise<void> {
  const behind = page.locator('[role="dialog"]');
  if ((await behind.count()) === 0) return;
  await behind.getByLabel('Close', { exact: true }).click();
  await behind.waitFor({ state: 'detached' });
}

it('The page asks before each act that cannot be undone, and sends nothing before the answer', async () => {
  const page = await visits.open(gateway, '#/');
  page.setDefaultTimeout(8000);
  const sent = watchChanges(page);
  const silent: string[] = [];
  for (const verb of VERBS) {
    const asked = await pressAndCancel(page, verb).then(
      () => true,
      () => false,
    );
    if (!asked) {
      silent.push(verb.verb);
      await page.reload();
    }
  }
  expect(silent).toEqual([]);
  expect(sent).toEqual([]);
});
