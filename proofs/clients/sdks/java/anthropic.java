import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.models.ModelInfo;

/** anthropic-java, which is strict: `validate()` throws where an answer lacks a member or has one of another type. */
public class Anthropic {
    interface Check {
        String run() throws Exception;
    }

    static final String VENDOR = System.getenv("CAMINO_VENDOR");
    static final AnthropicClient CLIENT = AnthropicOkHttpClient.builder()
        .baseUrl(System.getenv("CAMINO_URL"))
        .apiKey(System.getenv("CAMINO_API_KEY"))
        .maxRetries(0)
        .build();

    public static void main(String[] args) {
        check("answers", () -> {
            Message message = CLIENT.messages().create(asking("echo"));
            message.validate();
            return message.content().get(0).asText().text();
        }, "Simulated answer: one two");
        check("streams", () -> {
            StringBuilder text = new StringBuilder();
            try (StreamResponse<RawMessageStreamEvent> events = CLIENT.messages().createStreaming(asking("echo"))) {
                events.stream().map(RawMessageStreamEvent::validate).forEach(event ->
                    event.contentBlockDelta().flatMap(it -> it.delta().text()).ifPresent(it -> text.append(it.text())));
            }
            return text.toString();
        }, "Simulated answer: one two");
        check("retrieves a model", () -> {
            ModelInfo model = CLIENT.models().retrieve(VENDOR + "/agent").validate();
            return String.valueOf(model.capabilities().get().thinking().supported());
        }, "true");
        check("lists models", () -> {
            CLIENT.models().list().autoPager().forEach(ModelInfo::validate);
            return "valid";
        }, "valid");
        System.exit(0);
    }

    static MessageCreateParams asking(String kind) {
        return MessageCreateParams.builder().model(VENDOR + "/" + kind).maxTokens(100).addUserMessage("one two").build();
    }

    static void check(String name, Check check, String expected) {
        String found;
        try {
            found = check.run();
        } catch (Exception error) {
            found = error.toString();
        }
        String detail = found.replaceAll("[\"\\\\\\s]+", " ");
        System.out.printf("{\"check\":\"%s\",\"ok\":%b,\"detail\":\"%s\"}%n", name, found.equals(expected), detail);
    }
}
