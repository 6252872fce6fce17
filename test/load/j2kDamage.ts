// npm run damage [-- --cases N] [--seed N] [--list]: damages JPEG 2000 streams in every way that has a name and prints what both
// decoders say of them. Streams are those of the fixtures, encoded ones and, where the corpus is present, those of real files.
import { parseArgs } from 'node:util';
import { corpus } from '../support/corpus.ts';
import { damageJ2k } from '../support/damageJ2k.ts';
import { listCorpusJ2k, listJ2kStreams } from '../support/j2kStreams.ts';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
  },
});
const all = [...(await listJ2kStreams()), ...(corpus === undefined ? [] : listCorpusJ2k(corpus))];
const streams = all.filter(({ name }) => name.includes(values.only));

type Row = Record<'cases' | 'refused' | 'named' | 'harmless' | 'silent' | 'library silent' | 'differ', number>;
const table = new Map<string, Row>();
for await (const each of damageJ2k(streams, Number(values.cases), Number(values.seed))) {
  const row = table.get(each.kind) ?? {
    cases: 0,
    refused: 0,
    named: 0,
    harmless: 0,
    silent: 0,
    'library silent': 0,
    differ: 0,
  };
  table.set(each.kind, row);
  row.cases += 1;
  if (each.ours !== 'silent') row[each.ours] += 1;
  else row[each.isHarmless ? 'harmless' : 'silent'] += 1;
  if (each.library === 'silent' && !each.isHarmless) row['library silent'] += 1;
  const agree = each.ours === 'silent' ? each.library === 'silent' && each.isSame : each.library !== 'silent';
  if (!agree) row.differ += 1;
  if (values.list && ((each.ours === 'silent' && !each.isHarmless) || !agree))
    console.log(
      `${each.number} ${each.kind} ${each.stream}: ours ${each.ours}, library ${each.library}, same ${each.isSame}`,
    );
}
console.log(`${streams.length} streams, seed ${values.seed}`);
console.table(Object.fromEntries(table));
