import { ArrowDownWideNarrow, ArrowUpNarrowWide, Layers, SquaresIntersect } from 'lucide-react';
import { useStore } from 'zustand';
import { SHEET_PLANES, type SheetPlane } from '../../../shared/contract/sheets.ts';
import { namedComparisonOf } from '../../kit/state/comparedSides.ts';
import { usePage } from '../../kit/state/page.ts';
import { SelectField } from '../../kit/ui/SelectField.tsx';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import { changeQuery, useQuery } from '../cohort/query.ts';
import { useColumns } from '../cohort/tableColumns.ts';
import styles from './Gallery.module.css';
import { changeGalleryLook, LARGEST_PX, SLICE_COUNTS, SMALLEST_PX, useGalleryLook } from './galleryLook.ts';

const PLANE_TITLES: Readonly<Record<SheetPlane, string>> = {
  native: 'Images',
  axial: 'Axial',
  coronal: 'Coronal',
  sagittal: 'Sagittal',
};

const SIZE_STEP_PX = 8;

/** How the gallery shows its rows, and in which order. */
export function GalleryBar() {
  const page = usePage();
  const { sizePx, slices, plane, hasLayers, hasErrors } = useGalleryLook();
  const isCompared = useStore(namedComparisonOf(page), ({ named }) => named !== undefined);
  const level = useQuery((query) => query.level);
  const isOfFiles = level === 'file';
  return (
    <fieldset className={styles.bar} aria-label="Pictures">
      <label>
        Size
        <input
          type="range"
          min={SMALLEST_PX}
          max={LARGEST_PX}
          step={SIZE_STEP_PX}
          value={sizePx}
          onChange={({ target }) => changeGalleryLook(page, { sizePx: Number(target.value) })}
        />
      </label>
      {!isOfFiles && (
        <SelectField
          label={level === 'study' ? 'Series' : 'Slices'}
          value={slices}
          choices={SLICE_COUNTS.map((count) => [count, String(count)] as const)}
          onChange={(count) => changeGalleryLook(page, { slices: count })}
        />
      )}
      {!isOfFiles && (
        <SelectField
          label="Plane"
          value={plane}
          choices={SHEET_PLANES.map((one) => [one, PLANE_TITLES[one]] as const)}
          onChange={(next) => changeGalleryLook(page, { plane: next })}
        />
      )}
      {!isOfFiles && (
        <ToolButton
          label="Masks, contours and marks over the images"
          isOn={hasLayers}
          onClick={() => changeGalleryLook(page, { hasLayers: !hasLayers })}
        >
          <Layers size={17} aria-hidden="true" />
        </ToolButton>
      )}
      {!isOfFiles && isCompared && (
        <ToolButton
          label="Errors of the test over the images"
          isOn={hasErrors}
          onClick={() => changeGalleryLook(page, { hasErrors: !hasErrors })}
        >
          <SquaresIntersect size={17} aria-hidden="true" />
        </ToolButton>
      )}
      <SortField />
    </fieldset>
  );
}

function SortField() {
  const page = usePage();
  const { columns } = useColumns();
  const key = useQuery(({ sort }) => sort[0]);
  const names = columns.map(({ name }) => name);
  const all = key === undefined || names.includes(key.column) ? names : [key.column, ...names];
  const Direction = key?.isDescending === true ? ArrowDownWideNarrow : ArrowUpNarrowWide;
  return (
    <>
      <SelectField
        label="Sort"
        value={key?.column ?? ''}
        choices={[['', 'as found'], ...all.map((name) => [name, name] as const)]}
        onChange={(name) => changeQuery(page, { sort: name === '' ? [] : [{ column: name, isDescending: false }] })}
      />
      {key !== undefined && (
        <ToolButton
          label={key.isDescending ? 'Largest first' : 'Smallest first'}
          onClick={() => changeQuery(page, { sort: [{ ...key, isDescending: !key.isDescending }] })}
        >
          <Direction size={17} aria-hidden="true" />
        </ToolButton>
      )}
    </>
  );
}
