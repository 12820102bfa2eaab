// A program that runs Teller's commands: java CommandReceiver.java PORT SECRET
// It needs nothing but Java 17. Replace `runs` and `online` with what your game has.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class CommandReceiver {
    /**
     * The answers to the commands that ran, by commandId. Keep this in your database, in the transaction that pays, so that it
     * survives a restart. A command that did not run is not kept: Teller sends it again with the same commandId.
     */
    private static final Map<String, String> RAN = new HashMap<>();
    private static SecretKeySpec key;

    public static void main(String[] args) throws IOException {
        key = new SecretKeySpec(args[1].getBytes(StandardCharsets.UTF_8), "HmacSHA256");
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        HttpServer server = HttpServer.create(address, 0);
        server.createContext("/", CommandReceiver::answer);
        server.start();
        System.out.println("ready on port " + server.getAddress().getPort());
    }

    /** Runs a command, and says how it ended: "delivered", or "refused" or "player-offline" if it did not run. */
    private static String runs(String command) {
        System.out.println("runs: " + command);
        return "{\"outcome\":\"delivered\",\"reply\":\"it ran\"}";
    }

    /** Who is on the server. */
    private static String online() {
        return "{\"players\":[{\"name\":\"Steve\",\"uuid\":\"069a79f4-44e9-4726-a5be-fca90e38aaf5\"}]}";
    }

    private static void answer(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String signature = exchange.getRequestHeaders().getFirst("X-Webhook-Signature");
        if (signature == null || !MessageDigest.isEqual(signature.getBytes(StandardCharsets.UTF_8), sign(body).getBytes(StandardCharsets.UTF_8))) {
            exchange.sendResponseHeaders(401, -1);
            exchange.close();
            return;
        }
        String asked = new String(body, StandardCharsets.UTF_8);
        byte[] said = answerTo(asked).getBytes(StandardCharsets.UTF_8);
        byte[] prefix = (field(asked, "id") + ".").getBytes(StandardCharsets.UTF_8);
        byte[] signed = new byte[prefix.length + said.length];
        System.arraycopy(prefix, 0, signed, 0, prefix.length);
        System.arraycopy(said, 0, signed, prefix.length, said.length);
        exchange.getResponseHeaders().set("X-Webhook-Signature", sign(signed));
        exchange.sendResponseHeaders(200, said.length);
        exchange.getResponseBody().write(said);
        exchange.close();
    }

    private static synchronized String answerTo(String asked) {
        if ("players".equals(field(asked, "ask"))) return online();
        String command = field(asked, "command");
        String id = field(asked, "commandId");
        if (RAN.containsKey(id)) return RAN.get(id);
        String answer = runs(command);
        if (id != null && "delivered".equals(field(answer, "outcome"))) RAN.put(id, answer);
        return answer;
    }

    private static String sign(byte[] bytes) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return "sha256=" + HexFormat.of().formatHex(mac.doFinal(bytes));
        } catch (GeneralSecurityException fault) {
            throw new IllegalStateException(fault);
        }
    }

    /** A text of the request, which is one flat object; null if there is none. Use a JSON library if you have one. */
    private static String field(String json, String name) {
        Matcher found = Pattern.compile("[{,]\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
        return found.find() ? unescaped(found.group(1)) : null;
    }

    private static String unescaped(String text) {
        Matcher escapes = Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|(.))").matcher(text);
        return escapes.replaceAll(escape -> Matcher.quoteReplacement(
            escape.group(1) != null ? String.valueOf((char) Integer.parseInt(escape.group(1), 16)) : plain(escape.group(2))));
    }

    private static String plain(String escaped) {
        return switch (escaped) {
            case "n" -> "\n";
            case "r" -> "\r";
            case "t" -> "\t";
            case "b" -> "\b";
            case "f" -> "\f";
            default -> escaped;
        };
    }
}
