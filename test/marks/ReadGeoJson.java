// Records what QuPath reads of the GeoJSON that negato writes, with QuPath's own reader.
//
//   NEGATO_KEEP=FOLDER npx vitest run --project fast test/marks/qupath.test.ts
//   java -cp "QUPATH/lib/app/*" ReadGeoJson.java FOLDER/slide.geojson > qupath.json
//
// QUPATH is an installed QuPath, of which only qupath-core and its dependencies are used.
import com.google.gson.GsonBuilder;
import java.io.FileInputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import qupath.lib.io.PathIO;
import qupath.lib.objects.PathObject;
import qupath.lib.roi.interfaces.ROI;

class ReadGeoJson {
    public static void main(String[] arguments) throws Exception {
        var found = new ArrayList<Object>();
        for (PathObject object : PathIO.readObjectsFromGeoJSON(new FileInputStream(arguments[0]))) {
            ROI roi = object.getROI();
            var one = new LinkedHashMap<String, Object>();
            one.put("id", object.getID().toString());
            one.put("isAnnotation", object.isAnnotation());
            one.put("name", object.getName());
            one.put("class", object.getPathClass() == null ? null : object.getPathClass().toString());
            one.put("color", object.getPathClass() == null ? null : object.getPathClass().getColor() & 0xffffff);
            one.put("isLocked", object.isLocked());
            one.put("roi", roi.getRoiName());
            one.put("bounds", new double[] {roi.getBoundsX(), roi.getBoundsY(), roi.getBoundsWidth(), roi.getBoundsHeight()});
            one.put("area", roi.getArea());
            one.put("length", roi.getLength());
            one.put("points", roi.getNumPoints());
            found.add(one);
        }
        System.out.println(new GsonBuilder().setPrettyPrinting().serializeNulls().create().toJson(found));
    }
}
