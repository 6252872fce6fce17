import { asError } from '../../../../shared/asError.ts';
import { useEffect, useMemo, useRef } from 'react';
import type { WireLayerPart } from '../../../../shared/contract/layerAnswers.ts';
import type {
  MeasurementsResponse,
  WireMeasurement,
  WireMeasurementGroup,
} from '../../../../shared/contract/reports.ts';
import { fetchMeasurements, fetchMeasurementsCsv } from '../../../kit/api/documents.ts';
import { fetchLayer } from '../../../kit/api/layers.ts';
import { choosePart, setLitParts, useIsLit } from '../../../over/layers/litParts.ts';
import { hasLayer } from '../../../kit/state/layers.ts';
import { formatCount } from '../../../show/series/describeFile.ts';
import { useAnswer } from '../../../kit/state/useAnswer.ts';
import { say } from '../../../kit/state/messages.ts';
import { usePage } from '../../../kit/state/page.ts';
import { download } from '../../../kit/ui/download.ts';
import { FailureMessage } from '../../../kit/ui/PanelMessage.tsx';
import styles from '../DocumentCell.module.css';
import { DocumentLinkText } from '../LinkList.tsx';
import { openPlace, placeOfLink } from '../openPlace.ts';
import type { DocumentViewProps } from '../documentViews.ts';
import { nameImage } from './ContentLink.tsx';
import own from './Report.module.css';

type Props = Omit<DocumentViewProps, 'document'>;

/** Groups that are drawn; the CSV has all of them. */
const MOST_GROUPS = 2_000;
const MOST_COLUMNS = 40;

/** A row for each group of measurements and a column for each measurement; a click opens the image with the region. */
export function MeasurementTable({ cell, file, item, setItem }: Props) {
  const page = usePage();
  const { value, error, retry } = useAnswer(file.index, fetchMeasurements);
  const parts = useAnswer(hasLayer(file) ? file.index : undefined, fetchLayer);
  useEffect(() => () => choosePart(page, undefined), [page]);
  const rows = useMemo(() => (value === undefined ? [] : toRows(value)), [value]);
  if (error !== undefined) return <FailureMessage error={error} onRetry={retry} />;
  if (value === undefined) return <p className={styles.quiet}>Loading…</p>;
  if (rows.length === 0) return <p className={styles.quiet}>The report has no measurements.</p>;
  const columns = value.columns.slice(0, MOST_COLUMNS);
  const save = async () => {
    try {
      download(await fetchMeasurementsCsv(file.index), 'measurements.csv');
    } catch (failure) {
      say(page, asError(failure).message, 'failed');
    }
  };
  return (
    <section aria-label="Measurements">
      <div className={styles.tableHead}>
        <h2 className={styles.heading}>
          Measurements{' '}
          <span className={styles.quiet}>
            {formatCount(value.groups.length, 'group')}, {formatCount(value.count, 'value')}
          </span>
        </h2>
        <button type="button" className={styles.button} onClick={() => void save()}>
          Save as CSV
        </button>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard */}
      <section className={styles.tableBox} tabIndex={0} aria-label="Measurements, table">
        <table className={styles.table}>
          <thead>
            <tr>
              {['Group', 'Finding', 'Site', 'Image'].map((title) => (
                <th key={title} scope="col" className={own.head}>
                  {title}
                </th>
              ))}
              {columns.map((title) => (
                <th key={title} scope="col" className={own.head}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_GROUPS).map((row) => (
              <GroupRow
                key={row.group.item}
                cell={cell}
                layer={file.index}
                part={parts.value === undefined ? undefined : findPart(parts.value.parts, row.group.item)}
                row={row}
                columns={columns}
                isNamed={item !== undefined && isWithin(item, row.group.item)}
                onName={() => setItem(row.group.item)}
              />
            ))}
          </tbody>
        </table>
      </section>
      {(rows.length > MOST_GROUPS || value.columns.length > MOST_COLUMNS) && (
        <p className={styles.quiet}>There are more groups or measurements than are drawn; the CSV has all of them.</p>
      )}
    </section>
  );
}

type RowProps = {
  readonly cell: number;
  readonly layer: number;
  /** The region of the group in the layer of the report. */
  readonly part: number | undefined;
  readonly row: Row;
  readonly columns: readonly string[];
  readonly isNamed: boolean;
  readonly onName: () => void;
};

/** The row lights its region in the image, and the region under the pointer lights its row. */
function GroupRow({ cell, layer, part, row: { group, cells }, columns, isNamed, onName }: RowProps) {
  const page = usePage();
  const element = useRef<HTMLTableRowElement>(null);
  const isLit = useIsLit(layer, part ?? -1);
  const place = group.target === null ? undefined : placeOfLink(group.target);
  useEffect(() => {
    if (isNamed || isLit) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isNamed, isLit]);
  const light = () => {
    if (part !== undefined) setLitParts(page, [{ layer, part }]);
  };
  return (
    <tr
      ref={element}
      aria-current={isNamed ? 'location' : undefined}
      className={isNamed || isLit ? own.named : undefined}
      data-item={group.item}
      data-lit={isLit || undefined}
      onClick={onName}
      onPointerEnter={light}
      onPointerLeave={() => setLitParts(page, [])}
    >
      <td>{group.tracking_id ?? group.title}</td>
      <td>{group.finding?.meaning}</td>
      <td>{[group.site?.meaning, group.laterality?.meaning].filter(Boolean).join(', ')}</td>
      <td>
        {place && (
          <button
            type="button"
            className={styles.link}
            onFocus={light}
            onClick={() => {
              openPlace(page, cell, { ...place, layer: part === undefined ? place.layer : layer });
              choosePart(page, part === undefined ? undefined : { layer, part });
            }}
          >
            {nameImage(page, place.fileIndex, place.frame ?? 0)}
          </button>
        )}
        {group.target !== null && place === undefined && <DocumentLinkText cell={cell} link={group.target} />}
      </td>
      {columns.map((title) => (
        <td key={title} className={styles.number}>
          {cells.get(title)}
        </td>
      ))}
    </tr>
  );
}

/** The part of the layer that a group describes, or an item in the group. */
function findPart(parts: readonly WireLayerPart[], group: string): number | undefined {
  return parts.find(({ item }) => item !== null && isWithin(item, group))?.part;
}

function isWithin(item: string, group: string): boolean {
  return item === group || item.startsWith(`${group}.`);
}

type Row = { readonly group: WireMeasurementGroup; readonly cells: ReadonlyMap<string, string> };

function toRows({ groups }: MeasurementsResponse): Row[] {
  return groups.map((group) => {
    const cells = new Map<string, string>();
    for (const row of group.rows) {
      const title = nameMeasurement(row);
      const known = cells.get(title);
      cells.set(title, known === undefined ? formatValue(row) : `${known}, ${formatValue(row)}`);
    }
    return { group, cells };
  });
}

/** The title of its column, as the server makes it. */
function nameMeasurement({ name, unit_label, method, derivation }: WireMeasurement): string {
  const words = [name?.meaning || name?.value || 'Value', derivation?.meaning, method?.meaning]
    .filter(Boolean)
    .join(', ');
  return unit_label === '' ? words : `${words} (${unit_label})`;
}

function formatValue({ value, float, qualitative }: WireMeasurement): string {
  return value ?? (float === null ? (qualitative?.meaning ?? '') : String(float));
}
