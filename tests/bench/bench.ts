import { table } from './measure.ts';
import { measureFiles } from './measures/files.ts';
import { measureRevocation } from './measures/revocation.ts';
import { measureServers } from './measures/servers.ts';
import { measureTerminals } from './measures/terminals.ts';
import { withScene } from './scene.ts';

const terminals = await measureTerminals();
const files = await withScene(measureFiles);
console.log(table([...terminals, ...files, ...(await measureServers()), ...(await measureRevocation())]));
