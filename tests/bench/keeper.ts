import { table } from './measure.ts';
import { measureKeeper } from './measures/keeper.ts';

console.log(table(await measureKeeper()));
