import { measureFiles } from './measures/files.ts';
import { measureRevocation } from './measures/revocation.ts';
import { measureServers } from './measures/servers.ts';
import { measureTerminals } from './measures/terminals.ts';
import { IS_QUICK } from './quick.ts';
import { report } from './report.ts';
import { withScene } from './scene.ts';

const terminals = await measureTerminals();
const files = await withScene(measureFiles);
const more = IS_QUICK ? [] : [...(await measureServers()), ...(await measureRevocation())];
report('bench', [...terminals, ...files, ...more]);
