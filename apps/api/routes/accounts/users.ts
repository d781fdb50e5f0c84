import type { Users } from '#core/accounts/users.ts';
import {
  createUser,
  deleteUser,
  listUsers,
  resetUserPassword,
  resetUserTotp,
  setUserGroups,
  unlockUser,
  updateUser,
} from '../../contract/accounts/users.ts';
import type { Router } from '../../http/router.ts';

export function mountUsers(router: Router, users: Users): void {
  router.on(listUsers, async (c) => {
    const { users: page, total } = await users.list(c.var.caller, c.req.valid('query'));
    c.header('X-Total-Count', String(total));
    return c.json(page, 200);
  });

  router.on(createUser, async (c) => c.json(await users.create(c.var.caller, c.req.valid('json')), 201));

  router.on(updateUser, async (c) =>
    c.json(await users.update(c.var.caller, c.req.valid('param').user_id, c.req.valid('json')), 200),
  );

  router.on(setUserGroups, async (c) =>
    c.json(await users.setGroups(c.var.caller, c.req.valid('param').user_id, c.req.valid('json')), 200),
  );

  router.on(resetUserPassword, async (c) =>
    c.json(await users.resetPassword(c.var.caller, c.req.valid('param').user_id, c.req.valid('json')), 200),
  );

  router.on(resetUserTotp, async (c) =>
    c.json(await users.resetTotp(c.var.caller, c.req.valid('param').user_id), 200),
  );

  router.on(unlockUser, async (c) => {
    await users.unlock(c.var.caller, c.req.valid('param').user_id);
    return c.body(null, 204);
  });

  router.on(deleteUser, async (c) => {
    await users.remove(c.var.caller, c.req.valid('param').user_id);
    return c.body(null, 204);
  });
}
